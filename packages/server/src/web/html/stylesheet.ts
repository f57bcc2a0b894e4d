/**
 * The stylesheet of the pages. It targets phones held in one hand, has two columns on wide screens, and follows the
 * reader's color scheme. Its colors are those of the console (`packages/console/src/theme.css`).
 */
export const pagesStylesheet = `
:root {
  color-scheme: light dark;
  --surface: #ffffff; --sunken: #f0f0ed; --line: #e2e2dd; --edge: #85877f; --text: #17191c; --muted: #585c63;
  --ink: #2740a8; --on-ink: #ffffff; --good: #17663f; --good-soft: #e0f3e8; --critical: #b0121c; --critical-soft: #fce6e6;
  --high: #a33f06; --high-soft: #fde9dc; --mark: #ffe08a; --on-mark: #3b2a00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --surface: #16181b; --sunken: #1e2125; --line: #2c3035; --edge: #71777f; --text: #ecedee; --muted: #a2a8b0;
    --ink: #9fb2ff; --on-ink: #0b1130; --good: #6fd19c; --good-soft: #12301f; --critical: #ff8f8f; --critical-soft: #421a1c;
    --high: #ffa26b; --high-soft: #3b2110; --mark: #6b5000; --on-mark: #fff1c9;
  }
}
* { box-sizing: border-box; }
html { scroll-padding: 1rem 0 11rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column;
  background: var(--surface); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: break-word;
}
h1, h2, h3, p, ul, ol, dl, dd, figure, blockquote { margin: 0; padding: 0; }
code, .code, .number { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
code { font-size: .875em; overflow-wrap: anywhere; }
bdi { white-space: pre-wrap; overflow-wrap: anywhere; }
mark { background: var(--mark); color: var(--on-mark); border-radius: .2em; font-size: .85em; }
a { color: var(--ink); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; border-radius: .2rem; }
.quiet { color: var(--muted); }
.plain { list-style: none; }
.together { white-space: nowrap; }
.exact { font-size: .875rem; }

.top {
  display: flex; justify-content: space-between; align-items: center; gap: 1rem;
  width: 100%; max-width: 72rem; margin: 0 auto; padding: .5rem 1rem; font-size: .9rem;
}
.brand { display: inline-flex; align-items: center; gap: .6rem; padding: .75rem 0; color: var(--text); font-weight: 600; text-decoration: none; }
.brand svg { color: var(--ink); }
.top nav { display: flex; gap: 1.25rem; }
.top nav a { color: var(--muted); padding: .75rem 0; overflow-wrap: anywhere; }
main { flex: 1; display: flex; flex-direction: column; --side: max(1rem, calc((100% - 72rem) / 2 + 1.5rem)); }
main > * { padding-left: var(--side); padding-right: var(--side); }

.standing { border-left: 4px solid var(--edge); background: var(--sunken); padding: .6rem .8rem; border-radius: 0 .4rem .4rem 0; }
.standing.waiting { border-color: var(--high); background: var(--high-soft); }
.standing.good { border-color: var(--good); background: var(--good-soft); }
.standing.bad { border-color: var(--critical); background: var(--critical-soft); }
h1 { font-size: 1.6rem; line-height: 1.2; letter-spacing: -.015em; font-weight: 650; }
.approval h1 { margin-top: 1rem; }
.tags { display: flex; flex-wrap: wrap; align-items: center; gap: .2rem .6rem; margin-top: .4rem; font-size: .9rem; }
.risk { font-weight: 600; font-size: .85rem; padding: .1rem .5rem; border-radius: 1rem; border: 1px solid var(--edge); }
.risk.high { color: var(--high); border-color: currentColor; background: var(--high-soft); }
.risk.critical { color: var(--critical); border-color: currentColor; background: var(--critical-soft); }
.asker { margin-top: .75rem; }
.why { margin-top: .5rem; }
.why li { border-left: 2px solid var(--line); padding-left: .75rem; }
.why .quiet { font-size: .875rem; }
details.why { margin-top: 0; }

.columns { display: grid; gap: 1.5rem; padding-top: 1.5rem; padding-bottom: 2rem; flex: 1; align-content: start; }
.columns > * { min-width: 0; }
h2 { font-size: 1.05rem; font-weight: 650; margin-bottom: .5rem; }
.changes { list-style: none; display: grid; gap: 1rem; }
.changes > li { border: 1px solid var(--line); border-radius: .5rem; padding: .75rem; min-width: 0; }
h3 { font-size: 1rem; font-weight: 600; line-height: 1.4; }
h3 bdi { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: .9em; }
.verb { font-size: .8rem; font-weight: 650; padding: .1rem .4rem; border-radius: .25rem; background: var(--sunken); }
.verb.create { color: var(--good); background: var(--good-soft); }
.verb.delete { color: var(--critical); background: var(--critical-soft); }
.verb.update, .verb.move, .verb.send, .verb.run { color: var(--high); background: var(--high-soft); }
.summary { margin-top: .25rem; }
.substance > .quiet { margin-bottom: .75rem; }

.overview { border-left: 2px solid var(--line); padding-left: .75rem; margin-bottom: 1rem; }
.overview .unchecked { color: var(--high); }
.substance > .overview + .quiet { font-size: .9rem; }
.steps { list-style: none; display: grid; gap: .5rem; }
.step { border: 1px solid var(--line); border-radius: .6rem; padding: .1rem .75rem; min-width: 0; scroll-margin-top: 1rem; }
.step > details[open] { padding-bottom: .65rem; }
.step > .came { margin-bottom: .65rem; grid-column: 1 / -1; }
.step:target { border-color: var(--ink); }
.step:has(> .choice) { display: grid; grid-template-columns: auto minmax(0, 1fr); column-gap: .5rem; }
.step > details > summary { display: grid; grid-template-columns: auto minmax(0, 1fr) auto; align-items: center; gap: .5rem; padding: .3rem 0; color: var(--text); }
.step > details > summary::-webkit-details-marker { display: none; }
.step > details > summary::after { content: "+"; margin-left: auto; color: var(--muted); font-size: 1.2rem; line-height: 1; }
.step > details[open] > summary::after { content: "−"; }
.step h3 { display: inline; font-size: 1rem; font-weight: 600; }
.step h3 bdi { font: inherit; }
.step-tags { font-size: .9rem; font-weight: 400; }
.place { display: inline-block; min-width: 1.6em; padding: 0 .3em; text-align: center; border-radius: 1em; background: var(--sunken); color: var(--muted); font-size: .9em; }
.notes { margin-top: .5rem; font-size: .9rem; display: grid; gap: .25rem; }
.came { margin-top: .5rem; padding: .3rem .6rem; border-left: 3px solid var(--edge); background: var(--sunken); font-size: .95rem; }
.came.good { border-color: var(--good); background: var(--good-soft); }
.came.bad { border-color: var(--critical); background: var(--critical-soft); }
.came.waiting { border-color: var(--high); background: var(--high-soft); }
.step .changes { margin-top: .75rem; }
.step .changes > li { border-width: 0 0 0 2px; border-radius: 0; padding: 0 0 0 .75rem; }
.step details > .code, .step details > .quiet { margin-top: .75rem; }
.choice { display: grid; place-items: center; width: 2.75rem; height: 2.75rem; margin-left: -.5rem; cursor: pointer; }
.edit-step { margin-top: .75rem; }
.choice input { width: 1.4rem; height: 1.4rem; accent-color: var(--ink); }
.button.small { min-height: 2.75rem; font-size: .9rem; }
.parent { margin-top: .5rem; }

.code {
  margin-top: .6rem; padding: .5rem 0; font-size: .8125rem; line-height: 1.5; tab-size: 4;
  white-space: pre-wrap; overflow-wrap: anywhere; background: var(--sunken); border-radius: .4rem;
}
.code > span { display: block; padding: 0 .6rem; }
.code .add { background: var(--good-soft); box-shadow: inset 3px 0 var(--good); }
.code .del { background: var(--critical-soft); box-shadow: inset 3px 0 var(--critical); }
.code .head { font-weight: 600; }
.code .hunk { color: var(--muted); }
summary { cursor: pointer; min-height: 2.75rem; display: list-item; padding: .6rem .2rem; color: var(--ink); font-weight: 600; font-size: .9rem; }
.more { border-top: 1px solid var(--line); margin-top: 1rem; }
.more + .more { margin-top: .5rem; }
.more > .code, .more > table { margin-top: 0; }

table { border-collapse: collapse; width: 100%; margin-top: .6rem; font-size: .9rem; table-layout: fixed; }
th, td { text-align: left; vertical-align: top; padding: .4rem .5rem .4rem 0; border-top: 1px solid var(--line); }
th[scope="row"] { width: 34%; font-weight: 500; color: var(--muted); }
td .code { margin-top: 0; }
.number { font-size: .875em; }
.rows { overflow-x: auto; }
td[colspan] { border-top: 0; padding: 0 0 .4rem; }
.rows table { table-layout: auto; margin: 0; }
.rows th, .rows td { min-width: 4rem; padding-right: .9rem; border-top: 0; border-bottom: 1px solid var(--line); }
.rows bdi { overflow-wrap: normal; white-space: pre; }

.caution { border: 1px solid var(--high); background: var(--high-soft); border-radius: .4rem; padding: .6rem .8rem; }
main > .caution { margin: 0 var(--side); padding: .6rem .8rem; }
.masked { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; margin-top: .75rem; font-size: .9rem; }
.purpose { margin-top: 1.25rem; border: 1px dashed var(--edge); border-radius: .5rem; padding: .75rem; }
.purpose figcaption { font-size: .9rem; color: var(--muted); }
.purpose figcaption strong { color: var(--high); }
.purpose + p, .answer { margin-top: .75rem; }
.answer h3 bdi { font: inherit; }
.purpose blockquote + figcaption { margin-top: .75rem; }
.purpose .code { background: none; padding: 0; margin-top: .4rem; font: inherit; }
.purpose .code > span { padding: 0; }

aside { display: grid; gap: 1.25rem; align-content: start; }
.card { border-top: 1px solid var(--line); padding-top: 1rem; font-size: .95rem; }
.card h2 { font-size: .95rem; }
.card li + li, .card p + p { margin-top: .5rem; }
.card li ul { margin: .25rem 0 0 1.1rem; }
.card .quiet { font-size: .875rem; }
.words { white-space: pre-wrap; overflow-wrap: anywhere; margin-top: .25rem; padding-left: .75rem; border-left: 2px solid var(--line); font: inherit; }
.asker + .words { margin-bottom: .75rem; }
.vote { font-weight: 650; }
.vote.approve, .vote.good { color: var(--good); }
.vote.deny, .vote.return, .vote.bad { color: var(--critical); }
dl > div { display: grid; grid-template-columns: 6rem minmax(0, 1fr); padding: .2rem 0; }
dt { color: var(--muted); }
dd .quiet { display: block; }
.compared > div { grid-template-columns: 3.75rem minmax(0, 1fr); padding: .2rem .5rem; }
.compared .before { background: var(--critical-soft); box-shadow: inset 3px 0 var(--critical); }
.compared .after { background: var(--good-soft); box-shadow: inset 3px 0 var(--good); }
.compared dt { font-size: .875em; color: var(--text); }
.changes > li > .compared { margin-top: .6rem; }

.bar {
  position: sticky; bottom: 0; background: var(--surface); border-top: 1px solid var(--line);
  box-shadow: 0 -.4rem 1rem rgb(0 0 0 / .06); max-height: 70vh; overflow-y: auto;
  padding-top: .25rem; padding-bottom: calc(.75rem + env(safe-area-inset-bottom));
  display: grid; align-items: center; gap: 0 1rem;
}
.bar summary { font-weight: 500; }
.bar details[open], .answers { grid-column: 1 / -1; }
.bar label { font-size: .875rem; color: var(--muted); }
textarea {
  display: block; width: 100%; margin: .25rem 0 .75rem; padding: .6rem; font: inherit; color: inherit;
  background: var(--surface); border: 1px solid var(--edge); border-radius: .4rem; resize: vertical;
}
.answers { display: grid; grid-auto-flow: column; grid-auto-columns: 1fr; gap: .75rem; }
button, .button {
  display: inline-flex; align-items: center; justify-content: center; min-height: 3.25rem; padding: .5rem 1rem; text-align: center;
  font: inherit; font-weight: 650; line-height: 1.2; border-radius: .6rem; border: 1.5px solid var(--edge);
  background: var(--surface); color: var(--text); text-decoration: none; cursor: pointer;
}
.answers button, .answers .button { min-height: 3.6rem; padding: .5rem .75rem; }
button.approve, .primary { background: var(--ink); border-color: var(--ink); color: var(--on-ink); }
button.deny { color: var(--critical); border-color: var(--critical); }
.bar.high { border-top: 3px solid var(--high); }
.bar.critical { border-top: 3px solid var(--critical); }
.bar.critical button.approve { background: var(--high); border-color: var(--high); color: var(--surface); }
.next { margin-top: .75rem; }
.bar .review { grid-column: 1 / -1; margin: .5rem 0 .25rem; }
.review .button { flex: 1; border-color: var(--ink); color: var(--ink); }
.later { font-size: .875rem; text-align: center; align-self: center; }
p:not(.answers):has(> button, > .button) { display: flex; flex-wrap: wrap; gap: .75rem; }
button.small { min-height: 2.75rem; font-size: .9rem; }
@media (scripting: none) { [data-passkey] { display: none; } }
@media (hover: hover) { button:hover, .button:hover { box-shadow: inset 0 0 0 2px currentColor; } }

.inbox { padding: 1rem 0 3rem; gap: 1rem; }
.inbox h2 { margin: 1.5rem 0 0; }
.items { display: grid; gap: .75rem; }
.items a {
  display: grid; gap: .2rem; padding: .9rem; color: inherit; text-decoration: none;
  border: 1px solid var(--line); border-radius: .6rem; background: var(--surface);
}
.items a:hover { border-color: var(--edge); background: var(--sunken); }
.items .what { font-weight: 650; font-size: 1.05rem; }
.items .tags { margin: 0; }
.items .who, .items .until { font-size: .9rem; color: var(--muted); }
.items .until strong { color: var(--text); font-weight: 600; }
.notice { padding: 2rem 0; gap: 1rem; }
.notice > p { max-width: 40rem; }
.login { width: 100%; max-width: 30rem; margin: 0 auto; --side: 1rem; }
.login .button, .login button { width: 100%; }
.login button.plain { border: 0; background: none; color: var(--muted); font-weight: 400; text-decoration: underline; text-underline-offset: .15em; }
.events { display: grid; gap: .5rem; }
.events .quiet { display: block; font-size: .875rem; }
.facts { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: .875em; }
.devices { margin-top: 1rem; }
.devices li { display: flex; justify-content: space-between; align-items: center; gap: 1rem; padding: .6rem 0; border-top: 1px solid var(--line); }
.devices .quiet { font-size: .9rem; }
.devices > p, .devices > form { margin-top: .75rem; }

.editing, .bundle { padding: 1rem 0 3rem; gap: 1rem; }
.field { margin: .75rem 0; }
.field label, .thread ~ form label, aside form label { font-size: .9rem; }
.field .omit { display: inline-flex; align-items: center; gap: .4rem; min-height: 2.75rem; }
.field textarea { margin-bottom: .25rem; }
textarea.json { font-family: ui-monospace, monospace; font-size: .9rem; }
input:not([type]), input[type="time"], input[inputmode], select {
  display: block; width: 100%; min-height: 2.75rem; margin: .25rem 0 .5rem; padding: .4rem .6rem; font: inherit; color: inherit;
  background: var(--surface); border: 1px solid var(--edge); border-radius: .4rem;
}
fieldset { border: 1px solid var(--line); border-radius: .4rem; padding: .5rem .8rem; margin: .75rem 0; min-width: 0; }
.bundle .card { padding-bottom: 1rem; }
.bundle form > .why { margin-bottom: 1rem; }
.bundle .card > * + * { margin-top: .6rem; }
.bundle form:not(:has([value="deny"]:checked)) .denials { display: none; }
.bundle .card { scroll-margin-top: 1rem; }
.bundle fieldset label { margin-right: .5rem; min-height: 2.75rem; display: inline-flex; align-items: center; gap: .4rem; }
.moved { margin: 1.25rem 0; border: 1px solid var(--high); border-radius: .4rem; padding: .6rem .8rem; }
.moved p { margin: .75rem 0 .5rem; }
.hint { display: block; }
.more > p + .code, .more > p + table { margin-top: .6rem; }
.unknowns .answers { grid-auto-flow: row; }
.unknowns form, .unknowns .steps { margin-top: 1rem; }
.unknowns .card { padding-top: 1.25rem; padding-bottom: 1.5rem; }
.unknowns h2 { margin: 0; font-size: 1.05rem; }
.bar .field { grid-column: 1 / -1; }
.bar details[open] { padding-bottom: .75rem; }

@media (min-width: 40rem) {
  .top { padding-left: 1.5rem; padding-right: 1.5rem; }
  main { --side: max(1.5rem, calc((100% - 72rem) / 2 + 1.5rem)); }
  h1 { font-size: 1.9rem; }
  .bar { grid-template-columns: 1fr auto; padding-top: .75rem; }
  .bar .review { justify-self: end; }
  .bar .later { max-width: 12rem; }
  .bar .answers { grid-column: auto; grid-auto-columns: minmax(12rem, auto); }
  .bar details[open] { grid-row: 1; }
  .unknowns .answers { grid-auto-flow: column; }
  .items a { grid-template-columns: 1fr auto; column-gap: 1.5rem; }
  .items .until { grid-column: 2; grid-row: 1 / span 3; text-align: right; display: grid; align-content: center; }
}
@media (min-width: 64rem) {
  .columns { grid-template-columns: minmax(0, 1fr) 21rem; gap: 3rem; }
  .card:first-child { border-top: 0; padding-top: 0; }
}
`;
