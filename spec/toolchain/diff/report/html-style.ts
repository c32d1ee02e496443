/** Style of this report, in addition to that of all. */
export const STYLE = `
body { max-width: 60rem; padding: 1.5rem 1rem 4rem; }
h1 { margin: 0; font-size: 1.75rem; }
h2 { margin: 2.5rem 0 0; padding-bottom: .25rem; border-bottom: 2px solid currentcolor; font-size: 1.35rem; }
h3 { margin: 1.5rem 0 .5rem; font-size: 1rem; overflow-wrap: anywhere; color: var(--text); }
code { overflow-wrap: anywhere; }
.note { margin: .25rem 0; }
.documents { overflow-wrap: anywhere; }
.summary { margin: .5rem 0; font-size: 1.125rem; font-weight: 600; }
nav ul { display: flex; flex-wrap: wrap; gap: .5rem; margin: .5rem 0 0; padding: 0; list-style: none; }
nav a { display: block; padding: .25rem .75rem; border: 1px solid currentcolor; border-radius: 2rem;
  text-decoration: none; }
.breaking > h2, nav .breaking { color: var(--bad); }
.risky > h2, nav .risky { color: var(--warn); }
.safe > h2, nav .safe { color: var(--good); }
.count { font-weight: 400; }
article { margin: 0 0 .75rem; padding: .75rem 1rem; background: var(--panel); border: 1px solid var(--line);
  border-left: .25rem solid var(--line); border-radius: .375rem; }
.breaking article { border-left-color: var(--bad); }
.risky article { border-left-color: var(--warn); }
.safe article { border-left-color: var(--good); }
.message { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
.place { margin: .25rem 0 .5rem; }
.badge { display: inline-block; margin-right: .25rem; padding: 0 .5rem; border: 1px solid var(--line);
  border-radius: 1rem; font-size: .875rem; }
.breaking .badge { color: var(--bad); }
.risky .badge { color: var(--warn); }
.safe .badge { color: var(--good); }
dl { margin: 0; }
dl div { display: grid; grid-template-columns: 5rem 1fr; gap: .5rem; margin-bottom: .25rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.rule { font-size: .875rem; }
summary { cursor: pointer; }
details ul { margin: .25rem 0; padding-left: 1.25rem; }
details li { overflow-wrap: anywhere; }
@media (max-width: 40rem) { dl div { grid-template-columns: 1fr; gap: 0; } }
@media print { article { break-inside: avoid; } }
`;
