import { type Html, html } from '../../../../contract/docs/html.ts';
import type { SiteCustomization } from './types.ts';

/** Returns the attributes of a link that may lead to another site. */
export function externalAttributes(href: string, { externalLinks }: SiteCustomization): Html | undefined {
  return /^https?:/.test(href) && externalLinks.target === 'blank'
    ? html` target="_blank" rel="noopener"`
    : undefined;
}
