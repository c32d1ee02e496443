/** An image of an organization, which everyone who knows its hash can read. */
export interface OrganizationFilesTable {
  id: string;
  organization: string;
  /** Hash of its content, see `blobs`. Unique in the organization. */
  hash: string;
  name: string;
  contentType: string;
  /** Extension of its URL. */
  extension: string;
  /** Size in bytes. */
  size: number;
  createdAt: string;
}
