/** What handlers use, such as a database. Tests create their own. */
export type Services = Record<never, never>;

export function createServices(): Services {
  return {};
}
