/** Finds the anchors of a page, which links can refer to. */
import { searchSections } from '../markdown/sections.ts';
import { Slugs } from '../markdown/slug.ts';

const ATTRIBUTE = /\b(?:id|name)=["']?([^"'\s<>{}%]{1,512})/g;
const HEADING_ID = /\{#([^\s{}]{1,512})\}/g;
/** Headings in quotations, which are no sections of their own in search. */
const QUOTED_HEADING = /^[ \t]*>[ \t>]*(#{1,6}[ \t].*)$/gm;
const SUMMARY = /<summary>([^<>]{1,512})<\/summary>/g;

/**
 * Returns the form of an anchor in which it is compared. Platforms derive anchors from headings in different ways,
 * which differ in case and punctuation.
 */
export function anchorKey(anchor: string): string {
  const key = anchor.normalize('NFC').toLowerCase();
  return key.replace(/[^\p{L}\p{M}\p{N}]/gu, '') || key;
}

/** Lists the keys of the anchors in a text: headings, and elements with an ID or a name. */
export function anchorKeysIn(markdown: string): string[] {
  const anchors = searchSections(markdown).map(({ id }) => id);
  for (const [, heading = ''] of markdown.matchAll(QUOTED_HEADING)) {
    anchors.push(...searchSections(heading).map(({ id }) => id));
  }
  for (const pattern of [ATTRIBUTE, HEADING_ID]) {
    for (const [, anchor = ''] of markdown.matchAll(pattern)) {
      anchors.push(anchor);
    }
  }
  const slugs = new Slugs();
  for (const [, summary = ''] of markdown.matchAll(SUMMARY)) {
    anchors.push(slugs.of(summary));
  }
  return [...new Set(anchors.filter((anchor) => anchor !== '').map(anchorKey))];
}
