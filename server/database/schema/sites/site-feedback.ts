/** The opinion of a reader about a page of a site. What it is about may no longer exist. */
export interface SiteFeedbackTable {
  id: string;
  organization: string;
  site: string;
  siteSpace: string;
  space: string;
  page: string;
  /** URL of the page when it was rated. */
  url: string;
  rating: StoredFeedbackRating;
  comment: string | null;
  createdAt: string;
}

export type StoredFeedbackRating = 'bad' | 'ok' | 'good';
