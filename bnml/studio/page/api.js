// Talk with the server. Addresses are relative, so that the token of the page's own address goes with them.

/** What the server refused; `argument` names the thing that caused it. */
export class Refused extends Error {
  constructor(message, argument, status) {
    super(message);
    this.argument = argument;
    this.status = status;
  }
}

async function ask(method, path, body, headers = {}) {
  const options = { method, headers: { ...headers } };
  if (body instanceof Blob) options.body = body;
  else if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["Content-Type"] = "application/json";
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Refused("The studio does not answer. Is it still running in its window?", null, 0);
  }
  if (!answer.ok) {
    const told = await answer.json().catch(() => ({}));
    throw new Refused(told.error ?? `The studio answered ${answer.status}.`, told.argument ?? null, answer.status);
  }
  return answer;
}

const json = async (...given) => {
  const answer = await ask(...given);
  const text = await answer.text();
  return text ? JSON.parse(text) : null;
};

export const get = (path) => json("GET", path);
export const post = (path, body = {}) => json("POST", path, body);
export const put = (path, body) => json("PUT", path, body);
export const remove = (path) => json("DELETE", path);

/** Send a file as it is; its name goes in a header. */
export const send = (path, file) =>
  json("POST", path, file, {
    "X-File-Name": encodeURIComponent(file.name),
    "Content-Type": "application/octet-stream",
  });

/** Fetch a file and hand it to the browser to be saved. */
export async function save(path, name) {
  const answer = await ask("GET", path);
  const told = /filename="?([^";]+)"?/.exec(answer.headers.get("Content-Disposition") ?? "");
  const address = URL.createObjectURL(await answer.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = told ? told[1] : name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  return link.download;
}

/**
 * Listen to the server; `handlers` has `session`, `progress`, `done`, `failed`, and `connected` and `lost`, which tell
 * about the connection itself. It is tried anew every second for as long as it is lost.
 */
export function listen(handlers) {
  let source = null;
  const open = () => {
    source = new EventSource("api/events");
    source.onopen = () => handlers.connected();
    source.onerror = () => {
      source.close();
      handlers.lost();
      setTimeout(open, 1000);
    };
    for (const kind of ["session", "progress", "done", "failed"]) {
      source.addEventListener(kind, (event) => handlers[kind](JSON.parse(event.data)));
    }
  };
  open();
}
