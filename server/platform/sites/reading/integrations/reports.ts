/** Receives the reports of browsers about what the policy of a page blocked, and assigns them to integrations. */
import type { Request, Response } from 'express';
import { requestMalformed, unsupportedMediaType } from '../../../../contract/errors.ts';
import type { ViolationRecorder } from '../../../integrations/view-events/violations.ts';
import { receiveBody } from '../../../kit/routes/receive-body.ts';
import type { SiteScript } from '../../site-integrations/find.ts';
import type { ReadingSite } from '../reading-site.ts';
import { setSiteHeaders, setTextPolicy } from '../respond.ts';

/** Maximum size of a report. */
export const MAX_REPORT_BYTES = 16_384;
/** Maximum length of an address in a record of a report. */
export const MAX_REPORTED_URL_CHARACTERS = 300;

const REPORT_TYPES = ['application/csp-report', 'application/json'];

/** Receives a report. Its content is that of a visitor: it is bounded, and contains no credentials once recorded. */
export async function receiveReport(
  { req, res, reading }: { req: Request; res: Response; reading: ReadingSite },
  violations: ViolationRecorder,
): Promise<void> {
  if (!req.is(REPORT_TYPES) || req.headers['content-encoding'] !== undefined) {
    throw unsupportedMediaType(`Reports must be sent as ${REPORT_TYPES[0]}, without a content coding.`);
  }
  const body = await receiveBody(req, res, { maxBytes: MAX_REPORT_BYTES, subject: 'The report' });
  const report = readReport(body.toString());
  if (report && !isOfBrowser(report)) {
    for (const { installation, integration, message } of assigned(reading, report)) {
      const { id: site, organization } = reading.site;
      violations.record({ organization, site, installation, integration, message });
    }
  }
  setSiteHeaders(res, { isPublic: false, isIndexed: false });
  setTextPolicy(res);
  res.status(204).end();
}

/** A report, with the addresses that it contains. */
interface Report {
  directive: string;
  blocked: string;
  source: string;
  line: number | undefined;
  page: string;
}

/** Returns the report in a body; undefined if it does not describe what was blocked. */
function readReport(text: string): Report | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw requestMalformed('The report is not valid JSON.');
  }
  const fields = fieldsOf(fieldsOf(body)?.get('csp-report'));
  const textField = (name: string): string => {
    const value = fields?.get(name);
    return typeof value === 'string' ? value : '';
  };
  const directive =
    textField('effective-directive') || textField('violated-directive').split(' ', 1).join('');
  if (!/^[a-z-]{1,30}$/.test(directive) || textField('blocked-uri') === '') {
    return undefined;
  }
  const line = fields?.get('line-number');
  return {
    directive,
    blocked: textField('blocked-uri'),
    source: textField('source-file'),
    line: typeof line === 'number' && Number.isSafeInteger(line) && line > 0 ? line : undefined,
    page: textField('document-uri'),
  };
}

const fieldsOf = (value: unknown): Map<string, unknown> | undefined =>
  typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined;

/** Whether an extension of the browser caused a report. */
const isOfBrowser = ({ blocked, source }: Report): boolean =>
  [blocked, source].some((address) => /^(?:chrome|moz|safari(?:-web)?)-extension/i.test(address));

interface Assigned extends Pick<SiteScript, 'installation' | 'integration'> {
  message: string;
}

/**
 * Assigns a report to the script that caused it, as far as that is known: by its address, or by the hosts in its policy.
 * Otherwise all scripts of the site are informed, with nothing but the origins of the addresses.
 */
function assigned({ integrations: { scripts }, url }: ReadingSite, report: Report): Assigned[] {
  const own = scripts.filter(({ installation }) =>
    report.source.startsWith(`${url}/~scripts/${installation}/`),
  );
  const [first] = [own, listing(scripts, report.source), listing(scripts, report.blocked)].filter(
    (found) => found.length > 0,
  );
  const isKnown = first !== undefined || scripts.length === 1;
  const message = describe(report, isKnown ? addressOf : originOf, url);
  return (first ?? scripts).map(({ installation, integration }) => ({ installation, integration, message }));
}

/** Returns the scripts whose policies contain the host of an address. */
function listing(scripts: readonly SiteScript[], address: string): readonly SiteScript[] {
  const host = URL.canParse(address) ? new URL(address).hostname : '';
  return host === '' ? [] : scripts.filter(({ policy }) => policy?.includes(host));
}

function describe(
  { directive, blocked, source, line, page }: Report,
  shown: (address: string) => string,
  site: string,
): string {
  const place =
    source === '' ? '' : `, requested by ${shown(source)}${line === undefined ? '' : `, line ${line}`}`;
  const path = page.startsWith(site) ? addressOf(page).slice(site.length) || '/' : '';
  const on = path === '' ? '' : ` on the page ${path}`;
  return `Blocked by the content security policy${on}: ${directive} ${shown(blocked)}${place}. ${fixOf(directive, blocked)}`;
}

/** Returns what the developer of an integration can do so that something is not blocked. */
function fixOf(directive: string, blocked: string): string {
  const list = 'in the contentSecurityPolicy of the manifest to allow it.';
  if (!blocked.includes(':')) {
    return directive.startsWith('style-src')
      ? `List 'unsafe-inline' under style-src ${list}`
      : 'Pages allow neither inline scripts nor eval.';
  }
  return /^(?:http|ws):/i.test(blocked)
    ? 'Pages allow only encrypted connections.'
    : `List its host under ${directive} ${list}`;
}

/** Returns an address without its query, which may contain credentials; of other schemes, only the scheme. */
const addressOf = (address: string): string =>
  shortened(address, ({ origin, pathname }) => origin + pathname);

const originOf = (address: string): string => shortened(address, ({ origin }) => origin);

function shortened(address: string, part: (url: URL) => string): string {
  if (!URL.canParse(address)) {
    return /^[a-z-]{1,30}$/.test(address) ? address : 'an invalid address';
  }
  const url = new URL(address);
  const isHost = ['http:', 'https:', 'ws:', 'wss:'].includes(url.protocol);
  return isHost ? part(url).slice(0, MAX_REPORTED_URL_CHARACTERS) : url.protocol;
}
