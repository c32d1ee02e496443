import { operations } from '../../../generated/operations.ts';
import { fillPath } from '../http/requests.ts';
import type { TestResources } from '../resources.ts';

/** Operations whose results depend on the server or the caller, or on what does not travel. */
const EXCLUDED = new Set([
  ...['listOrganizations', 'getEmailDomainOrganizations', 'getCurrentUser', 'getSubdomain'],
  ...['listAccessTokens', 'listMemberAccessTokens', 'listLinkInvites', 'getLinkInvite', 'listShareLinks'],
  ...['listIntegrations', 'listIntegrationEvents', 'getIntegrationEvent', 'renderIntegration'],
  ...['getSitePublishingAuth', 'listAuditEvents', 'getChangeRequestPdf', 'getSpacePdf'],
  ...['searchOrganization', 'searchSpace'],
]);

/** A resource or list, as its path and the text of the response. */
export type ReadResources = Map<string, string>;

/**
 * Reads an organization with all operations that have no parameters but those of their path.
 *
 * @param replace changes the text of paths and responses, such as the IDs in them
 */
export async function readOrganization(
  { url }: { url: string },
  token: string,
  resources: TestResources,
  { replaceInPath = same, replace = same }: Partial<Record<'replaceInPath' | 'replace', Replace>> = {},
): Promise<ReadResources> {
  const read: ReadResources = new Map();
  for (const [name, { method, path }] of Object.entries(operations)) {
    if (method !== 'get' || EXCLUDED.has(name)) {
      continue;
    }
    const filled = fillPath(path, await resources.pathValues(path));
    const response = await fetch(url + replaceInPath(filled), {
      headers: { Authorization: `Bearer ${token}` },
    });
    const text = (await response.text())
      .replaceAll(url, 'https://server')
      // Keys of blocks depend on the URLs in them, and URLs are signed for their reader.
      .replaceAll(/"b[0-9a-z]{10,14}(?:-\d+)?"/g, '"block"')
      .replaceAll(/signature=[\w-]+/g, 'signature=')
      // Jobs that have not ended.
      .replaceAll(/"jobs":\{"used":\d+/g, '"jobs":{"used":0');
    if (response.ok) {
      read.set(`${name} ${filled}`, replace(text));
    } else if (response.status !== 404 && response.status !== 400) {
      read.set(`${name} ${filled}`, String(response.status));
    }
  }
  return read;
}

type Replace = (text: string) => string;

const same: Replace = (text) => text;
