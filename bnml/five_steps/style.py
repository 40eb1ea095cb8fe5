"""The style of a report: for the screen, narrow screens, and paper."""

__all__ = ["STYLE"]

STYLE = """
:root { --ink: #1b2733; --soft: #51677d; --line: #d5dde5; --accent: #1f5f99; --paper: #fff; --shade: #f4f7fa; }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: anywhere;
  font: 17px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
header, main, footer { max-width: 58rem; margin: 0 auto; padding: 0 1.5rem; }
header { padding-top: 2.5rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.4rem; line-height: 1.25; margin: 3rem 0 .8rem; padding-top: 1rem; border-top: 2px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
p { margin: 0 0 .8rem; max-width: 44rem; }
ul { margin: 0 0 1rem; padding-left: 1.3rem; max-width: 44rem; }
li { margin-bottom: .35rem; }
a { color: var(--accent); }
.facts { color: var(--soft); margin-bottom: 1rem; }
nav ol { display: flex; flex-wrap: wrap; gap: .3rem 1.4rem; margin: 0; padding: .4rem 0 0; font-size: .95rem;
  list-style: none; }
.summary { background: var(--shade); border-left: 4px solid var(--accent); border-radius: 4px;
  padding: .4rem 1.4rem .6rem; margin-top: 1.6rem; }
.summary h2 { border: 0; margin: .8rem 0 .2rem; padding: 0; }
.note { color: var(--soft); }
.how { background: var(--shade); margin: 0; padding: .7rem 1rem; max-width: 46rem; }
.how + .how { padding-top: 0; }
figure { margin: 1.4rem 0; text-align: center; break-inside: avoid; }
figure svg { max-width: 100%; height: auto; }
figure.broad { width: min(96vw, 100rem); margin-left: calc(50% - min(48vw, 50rem)); }
figcaption { color: var(--soft); font-size: .92rem; margin: .4rem auto 0; max-width: 44rem; text-align: left; }
.pair { display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: flex-start; justify-content: center; }
.pair figure { flex: 1 1 20rem; min-width: 0; }
.wide { overflow-x: auto; margin: 1.2rem 0; }
table { border-collapse: collapse; font-size: .92rem; line-height: 1.35; min-width: 50%; }
caption { text-align: left; font-weight: 600; padding-bottom: .4rem; }
th, td { text-align: left; vertical-align: top; padding: .32rem .9rem .32rem 0; border-bottom: 1px solid var(--line); }
thead th { color: var(--soft); font-weight: 600; border-bottom: 2px solid var(--line); vertical-align: bottom; }
td, thead th { overflow-wrap: break-word; }
tbody th { font-weight: 500; max-width: 30rem; min-width: 7rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.bar { display: inline-block; width: 5rem; height: .6em; background: #e6ecf2; border-radius: 2px; }
.bar + span { display: inline-block; min-width: 3.4em; }
.bar > span { display: block; height: 100%; background: var(--accent); border-radius: 2px; }
details { margin: 0 0 1rem; }
summary { cursor: pointer; color: var(--accent); }
footer { color: var(--soft); font-size: .9rem; padding-top: 2rem; padding-bottom: 3rem; }
@media print {
  body { font-size: 10.5pt; }
  header, main, footer { max-width: none; padding: 0; }
  nav, details { display: none; }
  figure.broad { width: 100%; margin-left: 0; }
  h2, h3, caption { break-after: avoid; }
  .how, .pair { break-inside: avoid; }
  tr { break-inside: avoid; }
  .summary, .how { border: 0; border-left: 3px solid var(--line); background: none; }
  .bar, .bar > span { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  svg { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
"""
