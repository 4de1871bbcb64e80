/**
 * The style of the pages: the fonts, colours and header of the documentation site, in site/.vitepress/theme. Their Content-Security-Policy contains the hash of this text.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --text: light-dark(#3c3c43, #dfdfd6);
  --soft: light-dark(#5f5f66, #9d9da5);
  --line: light-dark(#e2e2e3, #2e2e32);
  --paper: light-dark(#ffffff, #1b1b1f);
  --panel: light-dark(#f6f6f7, #161618);
  --gold: light-dark(#7a5a00, #e5bd55);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 3.5rem; }
body { display: flex; flex-direction: column; margin: 0; color: var(--text); background: var(--paper); font: 16px/1.55 ui-sans-serif, system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere; }
header { order: -1; display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .25rem 1rem; padding: .75rem 1rem; border-bottom: 1px solid var(--line); font-size: .875rem; }
header a { color: inherit; font-weight: 500; text-decoration: none; }
header div a { margin-right: 1rem; }
.home { font-size: 1rem; font-weight: 600; }
nav { padding: 1rem; background: var(--panel); font-size: .875rem; }
.to_contents { position: sticky; top: 0; display: block; padding: .5rem 1rem; border-bottom: 1px solid var(--line); background: var(--panel); }
main { max-width: 60rem; padding: 1rem; }
h1 { margin: .5rem 0; line-height: 1.2; }
h2 { margin: 3rem 0 .5rem; }
h3 { margin: 0; font-size: 1.15rem; }
h4 { margin: 1.5rem 0 .5rem; }
nav h2 { margin: 1rem 0 .25rem; font-size: .875rem; color: var(--soft); }
nav ul { margin: 0; padding: 0; list-style: none; }
nav li a { display: block; padding: .2rem 0; color: inherit; text-decoration: none; }
nav b, .route b { color: var(--gold); font-size: .8em; }
a { color: var(--gold); }
h3 a { color: inherit; text-decoration: none; }
a:hover { text-decoration: underline; }
p { margin: .5rem 0; }
code, pre, .bounds { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .875em; }
pre { margin: .5rem 0; padding: .75rem; border-radius: .4rem; background: var(--panel); white-space: pre-wrap; line-height: 1.45; }
figure { margin: 0 0 1.5rem; }
figcaption, .kind, .bounds { color: var(--soft); }
figcaption { margin-top: .5rem; }
.kind { font-size: .875rem; font-weight: normal; }
.operation { margin: 1.5rem 0; padding-top: 1.5rem; border-top: 1px solid var(--line); }
.needs span { display: inline-block; padding: 0 .5rem; border: 1px solid var(--line); border-radius: 1rem; color: var(--soft); font-size: .8125rem; }
button, input { padding: .2rem .6rem; border: 1px solid var(--line); border-radius: .4rem; color: var(--text); background: var(--panel); font: inherit; font-size: .875rem; }
button { cursor: pointer; color: var(--gold); }
.operation button { float: right; margin-top: .25rem; }
form { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0; }
input { flex: 1 1 14rem; min-width: 0; }
.members { margin: .25rem 0; padding-left: 0; list-style: none; }
.members .members { padding-left: .75rem; border-left: 2px solid var(--line); }
.members li { padding: .3rem 0; }
.name { font-weight: 600; }
summary { cursor: pointer; color: var(--gold); }
.refusals { display: grid; grid-template-columns: max-content 1fr; gap: .25rem .75rem; margin: 0; }
.refusals dt { font-weight: 600; }
.refusals dd { margin: 0; }
@media (min-width: 64rem) {
  html { scroll-padding-top: 4.5rem; }
  body { display: grid; grid-template-columns: 17rem 1fr; }
  header { position: sticky; top: 0; z-index: 1; grid-column: 1 / 3; height: 4rem; padding: 0 2rem; background: linear-gradient(90deg, var(--panel) 17rem, var(--paper) 17rem); }
  .to_contents { display: none; }
  nav { position: sticky; top: 4rem; height: calc(100vh - 4rem); grid-area: 2 / 1; padding: 1rem 2rem; overflow-y: auto; border-right: 1px solid var(--line); }
  main { grid-area: 2 / 2; padding: 2rem; min-width: 0; }
}
`;
