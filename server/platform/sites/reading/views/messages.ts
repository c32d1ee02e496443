/** Pages with a message instead of content. */
import { directionOfLanguage } from '../../../../content/html/direction.ts';
import { DEFAULT_CUSTOMIZATION } from '../../sites/queries/customization.ts';
import { type Labels, labelsIn } from '../labels.ts';
import { type Assets, linksOf } from '../resources/assets.ts';
import { messagePage } from '../templates/message.ts';
import type { Frame, Link, MessageView } from '../templates/types.ts';

/** Returns a frame without anything of a site: for visitors who may not see it. */
export function plainFrame(assets: Assets, base: string, language: string): Frame {
  const labels = labelsIn(language);
  return {
    title: labels.documentation,
    home: base || '/',
    base,
    siteSpace: '',
    language: labels.language,
    direction: directionOfLanguage(labels.language),
    labels,
    customization: { ...DEFAULT_CUSTOMIZATION, trademark: { enabled: false } },
    assets: linksOf(assets, base, DEFAULT_CUSTOMIZATION),
    tabs: [],
    variants: [],
    headerLinks: [],
    footerGroups: [],
    announcementLink: undefined,
    tree: [],
    favicon: undefined,
    scripts: [],
    asksForConsent: false,
  };
}

/** What the page of a visitor who is not admitted shows. */
export interface SignInView {
  /** Sign-in addresses. The page determines the title of a single address. */
  signIn?: readonly Link[];
  /** Whether the token of the visitor was not accepted. */
  isTokenRejected?: boolean;
  /** Text of the integration that does not admit the visitor. */
  rejection?: string;
}

/** Returns the page that is shown instead of the pages of an empty site or space. */
export function emptyPage(frame: Frame): string {
  const { labels } = frame;
  return messagePage(frame, { title: labels.emptyTitle, text: labels.empty, hasSearch: false });
}

/**
 * Returns the page of an error. A frame with a page tree also has a link to the first page.
 */
export function errorPage(
  frame: Frame,
  status: number,
  requestId: string | undefined,
  view: SignInView = {},
): string {
  const message = messageOf(frame, status, requestId);
  const { signIn = [], isTokenRejected = false, rejection } = view;
  if (rejection !== undefined) {
    return messagePage(frame, { ...message, text: rejection });
  }
  if (status !== 401) {
    return messagePage(frame, message);
  }
  const { labels } = frame;
  const [first, ...others] = signIn;
  const buttons = first && others.length === 0 ? [{ ...first, title: labels.signInTitle }] : signIn;
  const texts = isTokenRejected && { title: labels.rejectedTitle, text: labels.rejected };
  return messagePage(frame, { ...message, ...texts, ...(first && { buttons }) });
}

function messageOf(
  { labels, home, tree }: Frame,
  status: number,
  requestId: string | undefined,
): MessageView {
  const [title, text] = textsOf(labels, status);
  const isInSite = tree.length > 0;
  return {
    title,
    text,
    hasSearch: status === 404 && isInSite,
    ...(isInSite && { link: { title: labels.home, href: home } }),
    ...(requestId !== undefined && { requestId }),
  };
}

function textsOf(labels: Labels, status: number): [title: string, text: string] {
  switch (status) {
    case 401:
      return [labels.signInTitle, labels.signIn];
    case 404:
      return [labels.notFoundTitle, labels.notFound];
    case 429:
      return [labels.tooManyTitle, labels.tooMany];
    default:
      return [labels.errorTitle, labels.error];
  }
}
