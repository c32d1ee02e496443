/** Style of this report, in addition to that of all. */
export const STYLE = `
body { max-width: 75rem; }
h1 { font-size: 1.6rem; margin-bottom: 0.25rem; }
h2 { font-size: 1.25rem; margin-top: 2rem; }
h3 { font-size: 1.05rem; margin-top: 0; }
h4 { margin-bottom: 0.25rem; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 0.3rem; margin: 0.25rem 0;
  max-height: 20rem; overflow: auto; padding: 0.6rem; }
.verdict { font-size: 1.2rem; font-weight: 600; margin: 0; }
.passed { color: var(--good); }
.failed { color: var(--bad); }
.tiles { display: grid; gap: 0.75rem; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); list-style: none; padding: 0; }
.tiles li { background: var(--panel); border: 1px solid var(--line); border-radius: 0.3rem; padding: 0.75rem; }
.tiles .label { display: block; }
.tiles strong { font-size: 1.3rem; }
.bar { background: var(--line); border-radius: 0.25rem; display: block; height: 0.5rem; margin-top: 0.4rem; overflow: hidden; }
.bar span { background: var(--accent); display: block; height: 100%; }
article { border: 1px solid var(--line); border-left: 0.3rem solid var(--bad); border-radius: 0.3rem; margin: 1rem 0; padding: 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
caption { color: var(--soft); padding-bottom: 0.5rem; text-align: left; }
th, td { border-bottom: 1px solid var(--line); padding: 0.5rem; text-align: left; vertical-align: top; }
.status, .parameter { border: 1px solid var(--line); border-radius: 0.25rem; display: inline-block;
  font-size: 0.875rem; margin: 0 0.1rem 0.2rem 0; padding: 0 0.35rem; white-space: nowrap; }
.status-1, .status-2, .status-3 { border-color: var(--good); color: var(--good); }
.status-4 { border-color: var(--warn); color: var(--warn); }
.status-5 { border-color: var(--bad); color: var(--bad); font-weight: 600; }
.missing { border: 1px dashed var(--bad); }
@media print { pre { max-height: none; white-space: pre-wrap; } }
`;
