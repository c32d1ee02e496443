import type { JsonText } from '../../json.ts';

/** A cached PDF. Its bytes are chunks of an upload that expires with it. */
export interface PrintedPdfsTable {
  organization: string;
  /** Identifies what the PDF was printed from, except `specifications`. */
  key: string;
  space: string;
  /** Versions of the OpenAPI specifications that it was printed from. */
  specifications: JsonText<Array<[specification: string, version: string | null]>>;
  /** Identifies the chunks within the organization. */
  content: string;
  /** Size in bytes. */
  size: number;
  usedAt: string;
  expiresAt: string;
}
