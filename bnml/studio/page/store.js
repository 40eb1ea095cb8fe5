// The one copy of the session on this page, and the results that were fetched for it.

import * as api from "./api.js";

let session = null;
let results = new Map(); // id and revision → promise of a result
const watchers = new Set();
let choices = null;

export const current = () => session;

/** Call back with the session, now if there is one and whenever it changes. */
export function watch(callback) {
  watchers.add(callback);
  if (session) callback(session);
}

/** Take over a session that the server has sent; older ones than what is known are left. */
export function accept(document) {
  if (!document || document.version === undefined) return;
  if (session && document.revision < session.revision) return;
  const changed = !session || document.revision !== session.revision;
  const job = JSON.stringify(session?.job ?? null) !== JSON.stringify(document.job ?? null);
  session = document;
  if (changed) results = new Map();
  if (changed || job) for (const callback of watchers) callback(session);
}

/** Forget results that a job may have changed. */
export function forget() {
  results = new Map();
}

export async function refresh() {
  accept(await api.get("api/session"));
}

/** Do something that answers with the session; what it answers else is returned. */
export async function change(request) {
  const answer = await request;
  if (answer?.version !== undefined) accept(answer);
  else await refresh();
  return answer;
}

export function result(id) {
  if (!results.has(id)) {
    const asked = api.get(`api/results/${encodeURIComponent(id)}`);
    results.set(id, asked);
    asked.catch(() => results.delete(id));
  }
  return results.get(id);
}

export async function named() {
  choices ??= await api.get("api/choices");
  return choices;
}

/** Names of the variables in use, in the order of the table. */
export const variables = () =>
  (session?.table?.columns ?? []).filter((column) => column.used).map((column) => column.name);
