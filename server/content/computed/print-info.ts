import { isObject } from '../../contract/json-values.ts';
/** Prints the overview page of a specification as Markdown. */
import { asList, asObject, asText, asTexts, type JsonObject } from './json.ts';
import type { Outline } from './outline.ts';
import { printSecurity } from './print-operation.ts';
import { blocks, cellText, code, description, escapeText, table } from './text.ts';

/** URLs of the child pages. */
export interface PageUrls {
  operations(slug: string): string;
  /** undefined if the data models have no page. */
  models: string | undefined;
}

/** Prints the page about a specification: its version, description, servers, and links to its other pages. */
export function printInfo(document: JsonObject, outline: Outline, urls: PageUrls): string {
  const info = asObject(document.info);
  const version = asText(info.version);
  const parts = blocks(
    version !== '' && `Version ${code(version)}`,
    description(info.description, 1),
    printServers(document),
    printSchemes(document),
    printContents(outline, urls),
    printAbout(document, info),
  );
  return parts === '' ? '' : `${parts}\n`;
}

function printServers(document: JsonObject): string {
  const rows = asList(document.servers)
    .filter(isObject)
    .map(({ url, description: text }) => [code(asText(url)), cellText(text)]);
  // Swagger 2 has the parts of the URLs.
  const host = asText(document.host);
  if (host !== '') {
    for (const scheme of asTexts(document.schemes).length > 0 ? asTexts(document.schemes) : ['https']) {
      rows.push([code(`${scheme}://${host}${asText(document.basePath)}`), '']);
    }
  }
  return rows.length === 0 ? '' : blocks('## Servers', table(['URL', 'Description'], rows));
}

function printSchemes(document: JsonObject): string {
  const schemes = Object.entries({
    ...asObject(document.securityDefinitions),
    ...asObject(asObject(document.components).securitySchemes),
  });
  if (schemes.length === 0) {
    return '';
  }
  const rows = schemes.map(([name, value]) => {
    const scheme = asObject(value);
    return [code(name), kindOf(scheme), cellText(scheme.description)];
  });
  return blocks(
    '## Authentication',
    printSecurity(document, undefined),
    table(['Name', 'Kind', 'Description'], rows),
  );
}

function kindOf(scheme: JsonObject): string {
  const type = asText(scheme.type);
  switch (type) {
    case 'apiKey':
      return `API key, ${escapeText(asText(scheme.in))} ${code(asText(scheme.name))}`;
    case 'http':
      return `HTTP ${escapeText(asText(scheme.scheme))}`;
    case 'basic':
      return 'HTTP basic';
    case 'oauth2': {
      const flows = Object.keys(asObject(scheme.flows));
      const names = flows.length > 0 ? flows : [asText(scheme.flow)].filter((flow) => flow !== '');
      return `OAuth 2${names.length > 0 ? `, ${names.map(escapeText).join(', ')}` : ''}`;
    }
    case 'openIdConnect':
      return `OpenID Connect, ${code(asText(scheme.openIdConnectUrl))}`;
    default:
      return escapeText(type);
  }
}

function printContents({ operations, omittedTags }: Outline, urls: PageUrls): string {
  const items = operations.map(({ slug, title, operations: { length } }) => {
    const count = length === 0 ? '' : length === 1 ? ': 1 operation' : `: ${length} operations`;
    return `* [${escapeText(title)}](${urls.operations(slug)})${count}`;
  });
  if (urls.models !== undefined) {
    items.push(`* [Models](${urls.models})`);
  }
  if (items.length === 0) {
    return '';
  }
  return blocks(
    '## Contents',
    items.join('\n'),
    omittedTags > 0 &&
      `${omittedTags} more ${omittedTags === 1 ? 'tag is' : 'tags are'} not shown. The specification contains all of them.`,
  );
}

function printAbout(document: JsonObject, info: JsonObject): string {
  const license = asObject(info.license);
  const contact = asObject(info.contact);
  const more = asObject(document.externalDocs);
  const items = [
    linked('More documentation', asText(more.description), asText(more.url)),
    linked('Contact', asText(contact.name) || asText(contact.email), asText(contact.url)),
    linked('License', asText(license.name) || asText(license.identifier), asText(license.url)),
    linked('Terms of service', '', asText(info.termsOfService)),
  ].filter((item) => item !== '');
  return items.length === 0 ? '' : blocks('## About', items.join('\n'));
}

/** Prints a labeled item with a link. Only HTTP URLs are linked. */
function linked(label: string, text: string, url: string): string {
  const target = /^https?:\/\/[^\s<>]+$/i.test(url) ? url : '';
  const shown = escapeText(text || url);
  if (shown === '') {
    return '';
  }
  return `* ${label}: ${target === '' ? shown : `[${shown}](${target})`}`;
}
