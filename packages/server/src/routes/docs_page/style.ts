/** The style of both pages. Their Content-Security-Policy contains the hash of this text. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --text: light-dark(#1c1c1a, #e9e7e1);
  --soft: light-dark(#5f5c53, #a8a496);
  --line: light-dark(#dedad0, #3a3832);
  --paper: light-dark(#ffffff, #171613);
  --panel: light-dark(#f7f5ef, #211f1b);
  --gold: light-dark(#7a5a00, #e0b54a);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 3.5rem; }
body { margin: 0; color: var(--text); background: var(--paper); font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
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
code, pre, .bounds { font-family: ui-monospace, monospace; font-size: .875em; }
pre { margin: .5rem 0; padding: .75rem; border-radius: .4rem; background: var(--panel); white-space: pre-wrap; line-height: 1.45; }
figure { margin: 0 0 1.5rem; }
figcaption, .kind, .bounds { color: var(--soft); }
figcaption { margin-top: .5rem; }
.kind { font-size: .875rem; font-weight: normal; }
.operation { margin: 1.5rem 0; padding-top: 1.5rem; border-top: 1px solid var(--line); }
.needs span { display: inline-block; padding: 0 .5rem; border: 1px solid var(--line); border-radius: 1rem; color: var(--soft); font-size: .8125rem; }
.members { margin: .25rem 0; padding-left: 0; list-style: none; }
.members .members { padding-left: .75rem; border-left: 2px solid var(--line); }
.members li { padding: .3rem 0; }
.name { font-weight: 600; }
summary { cursor: pointer; color: var(--gold); }
.refusals { display: grid; grid-template-columns: max-content 1fr; gap: .25rem .75rem; margin: 0; }
.refusals dt { font-weight: 600; }
.refusals dd { margin: 0; }
@media (min-width: 64rem) {
  html { scroll-padding-top: 0; }
  body { display: grid; grid-template-columns: 20rem 1fr; }
  .to_contents { display: none; }
  nav { position: sticky; top: 0; order: -1; height: 100vh; overflow-y: auto; border-right: 1px solid var(--line); }
  main { padding: 1.5rem 3rem; min-width: 0; }
}
`;
