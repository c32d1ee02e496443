import { type Html, html } from '../../../../contract/docs/html.ts';
import { externalAttributes } from './links.ts';
import type { Frame } from './types.ts';

/** Renders the footer below every page. */
export function footer({ customization, footerGroups, labels, title }: Frame): Html | undefined {
  const { footer: settings, trademark, privacyPolicy } = customization;
  const { logo, copyright } = settings;
  const hasLegal = copyright !== undefined || trademark.enabled || privacyPolicy.url !== undefined;
  if (!logo && footerGroups.length === 0 && !hasLegal) {
    return undefined;
  }
  return html`<footer class="site-footer"><div class="bar">
${logo && html`<div class="footer-logo"><img class="logo light-only" src="${logo.light}" alt="${title}" height="28" loading="lazy"><img class="logo dark-only" src="${logo.dark}" alt="${title}" height="28" loading="lazy"></div>`}
${footerGroups.map(
  (group) =>
    html`<nav class="footer-group" aria-label="${group.title}"><h2>${group.title}</h2><ul>${group.links.map(
      (link) =>
        html`<li><a href="${link.href}"${externalAttributes(link.href, customization)}>${link.title}</a></li>`,
    )}</ul></nav>`,
)}
<p class="legal">${copyright !== undefined && html`<span>${copyright}</span>`}${
    privacyPolicy.url !== undefined && html`<a href="${privacyPolicy.url}">${labels.privacy}</a>`
  }${trademark.enabled && html`<span>${labels.poweredBy}</span>`}</p>
</div></footer>`;
}
