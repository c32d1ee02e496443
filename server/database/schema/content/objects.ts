/** Content-addressed text (trees, pages, documents), stored once per organization. */
export interface ObjectsTable {
  organization: string;
  hash: string;
  kind: string;
  data: string;
}
