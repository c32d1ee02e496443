/** Style sheet of the HTML report. */
export const styles = `
:root { color-scheme: light dark; --text: #1f2328; --muted: #59636e; --page: #fff; --card: #f6f8fa; --line: #d1d9e0;
  --link: #0a58ca; --breaking: #b3261e; --risky: #8a5a00; --safe: #1a7037; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --muted: #9aa4af; --page: #0d1117; --card: #161b22;
  --line: #30363d; --link: #79b8ff; --breaking: #ff8a80; --risky: #e3b341; --safe: #6fdd8b; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 1.75rem; }
h2 { margin: 2.5rem 0 0; padding-bottom: .25rem; border-bottom: 2px solid currentcolor; font-size: 1.35rem; }
h3 { margin: 1.5rem 0 .5rem; font-size: 1rem; overflow-wrap: anywhere; color: var(--text); }
a { color: var(--link); }
code { font: .875em/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
.documents, .note, .rule { color: var(--muted); margin: .25rem 0; }
.documents { overflow-wrap: anywhere; }
.summary { margin: .5rem 0; font-size: 1.125rem; font-weight: 600; }
nav ul { display: flex; flex-wrap: wrap; gap: .5rem; margin: .5rem 0 0; padding: 0; list-style: none; }
nav a { display: block; padding: .25rem .75rem; border: 1px solid currentcolor; border-radius: 2rem;
  text-decoration: none; }
.breaking > h2, nav .breaking { color: var(--breaking); }
.risky > h2, nav .risky { color: var(--risky); }
.safe > h2, nav .safe { color: var(--safe); }
.count { font-weight: 400; }
article { margin: 0 0 .75rem; padding: .75rem 1rem; background: var(--card); border: 1px solid var(--line);
  border-left: .25rem solid var(--line); border-radius: .375rem; }
.breaking article { border-left-color: var(--breaking); }
.risky article { border-left-color: var(--risky); }
.safe article { border-left-color: var(--safe); }
.message { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
.place { margin: .25rem 0 .5rem; }
.badge { display: inline-block; margin-right: .25rem; padding: 0 .5rem; border: 1px solid var(--line);
  border-radius: 1rem; font-size: .875rem; }
.breaking .badge { color: var(--breaking); }
.risky .badge { color: var(--risky); }
.safe .badge { color: var(--safe); }
dl { margin: 0; }
dl div { display: grid; grid-template-columns: 5rem 1fr; gap: .5rem; margin-bottom: .25rem; }
dt { color: var(--muted); }
dd { margin: 0; overflow-wrap: anywhere; }
.rule { font-size: .875rem; }
summary { cursor: pointer; color: var(--link); }
details ul { margin: .25rem 0; padding-left: 1.25rem; }
details li { overflow-wrap: anywhere; }
@media (max-width: 40rem) { dl div { grid-template-columns: 1fr; gap: 0; } }
@media print { article { break-inside: avoid; } }
`;
