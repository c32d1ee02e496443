import { type Html, html } from '../../../../contract/docs/html.ts';
import { icon } from './icons.ts';
import { externalAttributes } from './links.ts';
import type { Frame } from './types.ts';

/** Renders the banner that asks for the consent to cookies. A script shows it to those who have not decided. */
export function cookieBanner({ asksForConsent, customization, labels }: Frame): Html | undefined {
  const { url } = customization.privacyPolicy;
  return asksForConsent
    ? html`<div class="cookie-banner" id="site:cookie-banner" role="dialog" aria-label="${labels.cookiesTitle}" aria-describedby="site:cookie-text" hidden>
<p id="site:cookie-text">${labels.cookies}${url !== undefined && html` <a href="${url}"${externalAttributes(url, customization)}>${labels.privacy}</a>`}</p>
<div class="cookie-actions"><button type="button" class="button button-primary cookie-accept">${labels.accept}</button><button type="button" class="button cookie-reject">${labels.reject}</button></div>
<button type="button" class="icon-button cookie-close" aria-label="${labels.close}">${icon('close')}</button>
</div>`
    : undefined;
}
