import { Html, html } from '../../../server/contract/docs/html.ts';
import { withoutControls } from './xml.ts';

/** Style that all reports have, for light and dark color schemes and print. */
const STYLE = `
:root { color-scheme: light dark; --text: #1b1f24; --soft: #57606a; --page: #fff; --panel: #f6f8fa; --line: #d0d7de;
  --good: #116329; --bad: #a40e26; --warn: #7d4e00; --accent: #0550ae; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --soft: #9da7b1; --page: #0d1117; --panel: #161b22;
  --line: #3d444d; --good: #56d364; --bad: #ff9492; --warn: #e3b341; --accent: #79c0ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.875rem; }
a, summary { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.note { color: var(--soft); font-weight: 400; }
`;

/** Parts of a page. */
export interface ReportPage {
  title: string;
  /** Style of this report, in addition to that of all. */
  style: string;
  header: Html;
  main: Html;
}

/** Returns the page of a report: one file, which loads nothing and runs no script. */
export function reportPage({ title, style, header, main }: ReportPage): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${new Html(STYLE + style)}</style>
</head>
<body>
<header>
${header}
</header>
<main>
${main}
</main>
</body>
</html>`;
  return withoutControls(page.text);
}
