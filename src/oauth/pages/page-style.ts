/** The style of the built-in pages: light and dark, from 320 pixels on, every contrast at least 4.5 to 1. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --page: #eef0f3; --card: #ffffff; --text: #1a1c20; --soft: #50555e; --line: #6b7280; --accent: #1d4fb8; --on-accent: #ffffff; --problem: #9c1414; --problem-card: #fdeeee }
@media (prefers-color-scheme: dark) { :root { --page: #101216; --card: #1b1e24; --text: #eceef1; --soft: #b3b8c2; --line: #8d94a1; --accent: #8fb6ff; --on-accent: #0d1424; --problem: #ffb3ad; --problem-card: #3a1a1a } }
* { box-sizing: border-box }
body { margin: 0; padding: 1rem; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 26rem; margin: 6vh auto 1rem; padding: 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; overflow-wrap: anywhere }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25 }
p, ul { margin: 0 0 1rem }
ul { padding-left: 1.25rem }
.soft { color: var(--soft) }
.problem { padding: .75rem; background: var(--problem-card); color: var(--problem); border-left: .25rem solid }
label { display: block; margin: 0 0 .25rem; font-weight: 600 }
input { display: block; width: 100%; min-height: 2.75rem; margin: 0 0 1rem; padding: .5rem .75rem; font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: .25rem }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem }
button { flex: 1 1 auto; min-height: 2.75rem; padding: .5rem 1rem; font: inherit; font-weight: 600; color: var(--accent); background: transparent; border: 1px solid; border-radius: .25rem; cursor: pointer }
button.primary { color: var(--on-accent); background: var(--accent); border-color: var(--accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
`;
