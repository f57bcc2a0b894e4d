/**
 * The stylesheet of the documentation pages. A page has one column on phones and two on wide screens, and follows the
 * reader's color scheme. Its colors are those of the console (`packages/console/src/theme.css`).
 */
export const docsStylesheet = `
:root {
  color-scheme: light dark;
  --page: #ffffff; --panel: #f0f0ed; --line: #e2e2dd; --text: #17191c; --quiet: #585c63;
  --link: #2740a8; --get: #17663f; --post: #a33f06; --bad: #b0121c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #16181b; --panel: #1e2125; --line: #2c3035; --text: #ecedee; --quiet: #a2a8b0;
    --link: #9fb2ff; --get: #6fd19c; --post: #ffa26b; --bad: #ff8f8f;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0 auto; max-width: 72rem; padding: 1.5rem 1rem 6rem;
  background: var(--page); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; overflow-wrap: break-word;
}
a { color: var(--link); text-underline-offset: .15em; }
a:focus-visible, summary:focus-visible, pre:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .875em; }
h1 { font-size: 2rem; line-height: 1.1; margin: 0 0 .75rem; letter-spacing: -.02em; }
h1 span { color: var(--quiet); font-weight: 400; font-size: 1.1rem; letter-spacing: 0; }
h2 { font-size: 1.4rem; margin: 0 0 .25rem; }
h3 { font-size: 1.1rem; margin: 0 0 .25rem; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover { text-decoration: underline; }
h4 { font-size: .8rem; margin: 1.25rem 0 .35rem; color: var(--quiet); font-weight: 600; }
p { margin: 0 0 .75rem; max-width: 42rem; }
header { padding-bottom: 1rem; }
pre {
  margin: .75rem 0; padding: .75rem 1rem; overflow-x: auto; line-height: 1.45;
  background: var(--panel); border: 1px solid var(--line); border-radius: .4rem;
}
nav { font-size: .9rem; margin-bottom: 1.5rem; }
nav summary { cursor: pointer; padding: .5rem 0; font-weight: 600; }
nav h2 { font-size: .9rem; margin: 1rem 0 .25rem; }
nav h2 a { color: var(--text); text-decoration: none; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: flex; gap: .6rem; align-items: baseline; padding: .3rem 0; color: inherit; text-decoration: none; }
nav li a:hover { text-decoration: underline; }
.manners { border: 1px solid var(--line); border-radius: .4rem; padding: .9rem 1rem; background: var(--panel); }
.manners ul { list-style: none; margin: 0; padding: 0; display: grid; gap: .5rem; }
.tag { margin-top: 3rem; }
.operation, .schema { border-top: 1px solid var(--line); padding: 1.5rem 0 1rem; margin-top: 1rem; }
.route { margin-bottom: .75rem; }
.method {
  flex: none; display: inline-block; min-width: 2.9em; font: 600 .72rem/1 ui-monospace, Menlo, Consolas, monospace;
  text-transform: uppercase; color: var(--get);
}
.method.post { color: var(--post); }
.method.delete { color: var(--bad); }
.type, .optional { color: var(--quiet); font-size: .85rem; }
.optional { font-style: italic; }
dl { margin: 0; }
dl > div { padding: .4rem 0; border-top: 1px dotted var(--line); }
dl > div:first-child { border-top: 0; }
dt code { font-weight: 600; }
dt .type code { font-weight: 400; }
dd { margin: 0; max-width: 42rem; }
dd > .type { margin: 0; }
dd details dl, details > p { margin-left: .9rem; }
summary { cursor: pointer; color: var(--quiet); font-size: .85rem; }
.status.s4, .status.s5 { color: var(--bad); }
:target > h3 a { color: var(--link); }
@media (min-width: 60rem) {
  .columns { display: grid; grid-template-columns: 17rem minmax(0, 1fr); gap: 3rem; align-items: start; }
  nav { position: sticky; top: 1rem; max-height: calc(100vh - 2rem); overflow-y: auto; }
  nav h2:first-of-type { margin-top: 0; }
  .answers > div { display: grid; grid-template-columns: 3rem minmax(0, 1fr); }
  /* Where there is room the contents are always open; a browser that cannot do that keeps its fold. */
  @supports selector(::details-content) {
    nav details::details-content { content-visibility: visible; block-size: auto; }
    nav summary { display: none; }
  }
}
@media (max-width: 30rem) { body { padding: 1rem .9rem 4rem; } h1 { font-size: 1.6rem; } }
`;
