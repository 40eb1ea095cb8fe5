"""The style of a report: for the screen, narrow screens, and paper."""

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
  padding: .9rem 1.4rem .6rem; margin: 0 0 1.2rem; }
.summary ul { margin-bottom: .2rem; }
.note { color: var(--soft); }
.how { background: var(--shade); margin: 0; padding: .7rem 1rem; max-width: 46rem; }
.how + .how { padding-top: 0; }
figure { margin: 1.4rem 0; text-align: center; break-inside: avoid; }
figure svg { max-width: 100%; height: auto; }
figure.broad { width: min(96vw, 100rem); margin-left: calc(50% - min(48vw, 50rem)); }
figcaption { color: var(--soft); font-size: .92rem; margin: .4rem auto 0; max-width: 44rem; text-align: left; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: .4rem 1.6rem;
  margin: .8rem 0 1rem; align-items: start; }
figure.small { margin: .4rem 0; text-align: left; min-width: 0; }
figure.small figcaption { margin: 0 0 .3rem; }
figure.small figcaption:first-child { color: var(--ink); font-weight: 600; }
.key { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; font-size: .92rem; max-width: none; }
.swatch { display: inline-block; width: 1em; height: 1em; margin-right: .4em; vertical-align: -.12em;
  border: 1px solid var(--line); }
.few { color: #8a97a5; }
td small { display: block; color: inherit; opacity: .85; white-space: nowrap; }
.wide { overflow-x: auto; margin: 1.2rem 0; }
table { border-collapse: collapse; font-size: .92rem; line-height: 1.35; min-width: 50%; }
caption { text-align: left; font-weight: 600; padding-bottom: .4rem; }
caption span { display: block; position: sticky; left: 0; max-width: min(44rem, calc(100vw - 2.4rem)); }
th, td { text-align: left; vertical-align: top; padding: .32rem .9rem .32rem 0; border-bottom: 1px solid var(--line); }
thead th { color: var(--soft); font-weight: 600; border-bottom: 2px solid var(--line); vertical-align: bottom; }
td, thead th { overflow-wrap: break-word; }
tbody th { font-weight: 500; max-width: 30rem; min-width: 7rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
thead .number { white-space: normal; overflow-wrap: normal; }
.bar { display: inline-block; width: 5rem; height: .6em; background: #e6ecf2; border-radius: 2px; }
.bar + span { display: inline-block; min-width: 3.4em; }
.bar > span { display: block; height: 100%; background: var(--accent); border-radius: 2px; }
details { margin: 0 0 .8rem; }
details details { margin: .4rem 0 .4rem 1rem; }
details th, details td { padding-right: .6rem; }
summary { cursor: pointer; color: var(--accent); }
footer { color: var(--soft); font-size: .9rem; padding-top: 2rem; padding-bottom: 3rem; }
@media (max-width: 40rem) {
  body { font-size: 16px; }
  header, main, footer { padding-left: 1rem; padding-right: 1rem; }
  h1 { font-size: 1.6rem; }
  .bar { width: 3rem; }
  table { font-size: .86rem; }
  th, td { padding-right: .6rem; }
  tbody th { min-width: 6.4rem; }
  td small { white-space: normal; }
}
@page { size: A4; margin: 15mm 16mm; }
@media print {
  html { font-size: 11.5px; }
  body { font-size: 9pt; line-height: 1.35; }
  header, main, footer { max-width: none; padding: 0; }
  h1 { font-size: 1.6rem; }
  h2 { margin-top: 1.1rem; padding-top: .5rem; }
  h3 { margin-top: .8rem; }
  p, ul { max-width: none; margin-bottom: .4rem; }
  li { margin-bottom: .1rem; }
  nav, details { display: none; }
  figure { margin: .6rem 0; }
  figure svg { max-height: 12.5cm; width: auto; }
  figure.broad { width: 100%; margin-left: 0; }
  figure.broad svg { max-height: 14cm; }
  .charts { grid-template-columns: 1fr 1fr; gap: .2rem 1rem; margin: .3rem 0 .5rem; }
  figure.small svg { max-height: 7cm; width: auto; max-width: 100%; }
  figcaption { max-width: none; font-size: 8.5pt; }
  .wide { margin: .5rem 0; overflow: visible; }
  table { font-size: 8.5pt; line-height: 1.2; }
  th, td { padding-top: .12rem; padding-bottom: .12rem; }
  h2, h3, caption { break-after: avoid; }
  .how { break-inside: avoid; padding: .2rem .8rem; max-width: none; }
  tr { break-inside: avoid; }
  .summary, .how { border: 0; border-left: 3px solid var(--line); background: none; }
  .bar, .bar > span, .swatch { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  svg { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
"""
