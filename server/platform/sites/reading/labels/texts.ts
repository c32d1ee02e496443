/** The texts in English, and the form of those in other languages. */
import type { RenderLabels } from '../../../../content/html/options.ts';

export const ENGLISH = {
  /** Language tag of the texts. */
  language: 'en',
  documentation: 'Documentation',
  skip: 'Skip to content',
  search: 'Search',
  searchHint: 'Search the documentation',
  searchResults: 'Search results',
  results: 'Results for “{query}”: {count}',
  noResults: 'No results for “{query}”. Check the spelling, or use fewer words.',
  emptySearch: 'Enter a word or a phrase.',
  menu: 'Menu',
  close: 'Close',
  pages: 'Pages',
  sections: 'Sections',
  variants: 'Variants',
  breadcrumbs: 'Breadcrumbs',
  outline: 'On this page',
  pagination: 'Previous and next page',
  previous: 'Previous',
  next: 'Next',
  morePages: '{count} more pages',
  updated: 'Last updated {date}',
  edit: 'Edit this page',
  markdown: 'View as Markdown',
  pdf: 'Download as PDF',
  wholePdf: 'Download all pages as PDF',
  actions: 'Page actions',
  theme: 'Switch between light and dark theme',
  privacy: 'Privacy policy',
  poweredBy: 'Powered by Colophon',
  copy: 'Copy',
  copied: 'Copied',
  notFoundTitle: 'Page not found',
  notFound: 'The page does not exist or has moved. Search for it, or start from the first page.',
  home: 'Go to the first page',
  emptyTitle: 'Nothing to read yet',
  empty: 'There are no pages here yet.',
  signInTitle: 'Sign in to read this site',
  signIn: 'This site is only available to signed-in visitors. Open it from where you sign in.',
  rejectedTitle: 'Your sign-in was not accepted',
  rejected: 'Your sign-in has expired or is not valid for this site. Sign in again.',
  errorTitle: 'This page cannot be shown',
  error: 'Something went wrong on the server. Try again in a moment.',
  tooManyTitle: 'Too many requests',
  tooMany: 'Wait a minute, then try again.',
  requestId: 'Request ID: {id}',
  /** Texts around the blocks of integrations: to apply a change, to cancel an action, and instead of a block. */
  apply: 'Apply',
  cancel: 'Cancel',
  blockFailed: 'This block cannot be shown at the moment.',
  /** Texts of the banner that asks for the consent to cookies. */
  cookiesTitle: 'Cookies',
  cookies: 'This site uses cookies to measure how it is used. Do you accept them?',
  accept: 'Accept',
  reject: 'Reject',
  /** Texts of the form for the opinion of readers about a page. */
  feedback: 'Was this page helpful?',
  feedbackGood: 'Yes',
  feedbackOk: 'Somewhat',
  feedbackBad: 'No',
  feedbackComment: 'Comment (optional)',
  feedbackSend: 'Send',
  feedbackThanks: 'Thank you for your feedback.',
};

export type Labels = Readonly<Record<keyof typeof ENGLISH, string>>;

/** The texts of the view and those within content, in a language. */
export interface LanguageTexts {
  labels: Labels;
  content: Omit<RenderLabels, 'copy'>;
}
