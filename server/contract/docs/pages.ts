import type { OpenApiDocument } from '../document.ts';
import { isJsonType } from '../media-types.ts';
import { SERVER_URL } from './curl-sample.ts';
import { type Direction, exampleValue } from './example-value.ts';
import { createFieldView, type FieldView } from './fields.ts';
import { type Html, html } from './html.ts';
import { breakable, type Links, layout, methodBadge, operationTable } from './layout.ts';
import { markdown } from './markdown.ts';

import type {
  MediaReference,
  OperationReference,
  ParameterReference,
  Reference,
  ResponseReference,
} from './reference.ts';
import { requestForm } from './request-form.ts';
import { notationExample } from './sample-values.ts';
import { type Sample, samplesOf } from './samples.ts';

/** Maximum length of an example on a documentation page, in UTF-16 units. Longer ones are not shown. */
export const MAX_PAGE_EXAMPLE_CHARACTERS = 4_000;

const LOCATIONS = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
  ['header', 'Headers'],
  ['cookie', 'Cookies'],
] as const;

/** Renders the overview of a contract: its description and a list of its operations. */
export function overviewPage(reference: Reference, links: Links): string {
  const { document, groups, models } = reference;
  const { title, version, description } = document.info;
  const main = html`<article>
<h1>${title}</h1>
<p class="hint">Version ${version} · ${counted(reference.operations.size, 'operation')} · <a href="${links.document}">OpenAPI document</a></p>
${typeof description === 'string' && markdown(description)}
${groups.map(
  (group) =>
    html`<section><h2>${group.name}</h2>${markdown(group.description)}${operationTable(group.operations, links)}</section>`,
)}
${
  models.size > 0 &&
  html`<section><h2>Models</h2><details><summary>${counted(models.size, 'model')}</summary><ul class="models">${[
    ...models.keys(),
  ].map((name) => html`<li><a href="${links.model(name)}">${name}</a></li>`)}</ul></details></section>`
}
</article>`;
  return layout(reference, links, { title, main });
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Renders the page of an operation: parameters, bodies, samples, and a form that sends a request. */
export function operationPage(reference: Reference, operation: OperationReference, links: Links): string {
  const { document } = reference;
  const view = createFieldView(document, links.model);
  const { id, isNamed, title, method, path, refusal, description, deprecated, body } = operation;
  const main = html`<div class="columns">
<article>
<h1>${title}</h1>
<p class="target">${methodBadge(method)}<code>${breakable(path)}</code></p>
<p class="hint">${isNamed && html`Operation <code>${id}</code> `}<a class="to-request" href="#request">Send a request</a></p>
${deprecated && html`<p class="deprecated">This operation is deprecated.</p>`}
${
  refusal !== undefined &&
  html`<p class="refused"><strong>Not served.</strong> Requests receive status 501, unless the server has a handler of its own for this operation: ${refusal}.</p>`
}
${markdown(description)}
${securitySection(operation)}
${LOCATIONS.map(([location, heading]) => parameterSection(document, operation, view, location, heading))}
${
  body &&
  html`<section><h2>Request body</h2><p class="facts">${body.required ? 'Required.' : 'Optional.'}</p>${markdown(body.description)}${body.content.map(
    (media) => mediaView(view, media, 'request'),
  )}</section>`
}
<section><h2>Responses</h2>${operation.responses.map((response) => responseView(document, view, response))}</section>
</article>
<aside aria-label="Samples and requests">
${samplesOf(document, operation).map(sampleView)}
${requestForm(document, operation)}
</aside>
</div>`;
  return layout(reference, links, { title, main, current: id });
}

/** Renders the page of a model. */
export function modelPage(reference: Reference, name: string, links: Links): string {
  const { document } = reference;
  const schema = reference.models.get(name);
  const view = createFieldView(document, links.model);
  const { description } = Object(schema);
  const main = html`<div class="columns">
<article>
<h1>${name}</h1>
<p class="facts">${view.type(typeof schema === 'object' ? { ...schema } : schema)}</p>
${typeof description === 'string' && markdown(description)}
${view.constraints(schema)}
${view.fields(schema)}
</article>
<aside aria-label="Example">${exampleView(document, schema, 'response', undefined, 'Example')}</aside>
</div>`;
  return layout(reference, links, { title: name, main });
}

function securitySection({ security, schemes }: OperationReference): Html | false {
  if (schemes.length === 0) {
    return false;
  }
  const isOptional = security.some((names) => names.length === 0);
  const alternatives = security.filter((names) => names.length > 0);
  return html`<section><h2>Authentication</h2>
<p class="facts">${isOptional && 'Optional: '}${alternatives.map(
    (names, index) =>
      html`${index > 0 && ', or '}${names.map((name, part) => html`${part > 0 && ' and '}<code>${name}</code>`)}`,
  )}</p>
${schemes.map(({ description }) => markdown(description))}</section>`;
}

function parameterSection(
  document: OpenApiDocument,
  { parameters }: OperationReference,
  view: FieldView,
  location: string,
  heading: string,
): Html | false {
  const declared = parameters.filter((parameter) => parameter.in === location);
  return (
    declared.length > 0 &&
    html`<section><h2>${heading}</h2>${parameterList(declared, view, (parameter) => notationExample(document, parameter))}</section>`
  );
}

function parameterList(
  parameters: readonly ParameterReference[],
  view: FieldView,
  notation?: (parameter: ParameterReference) => string | undefined,
): Html {
  return html`<ul class="fields">${parameters.map((parameter) => {
    const { name, schema, required, deprecated, description } = parameter;
    const written = notation?.(parameter);
    return html`<li>
<p class="name"><code>${name}</code> <span class="type">${view.type(schema)}</span>${
      required && html` <span class="required">required</span>`
    }${deprecated && html` <span class="deprecated">deprecated</span>`}</p>
${markdown(description)}${view.constraints(schema)}${written !== undefined && html`<p class="facts">Sent as <code>${written}</code></p>`}</li>`;
  })}</ul>`;
}

function mediaView(view: FieldView, { type, schema }: MediaReference, direction: Direction): Html {
  return html`<p class="facts"><code>${type}</code>${schema !== undefined && html` · ${view.type(schema)}`}</p>${view.fields(schema, direction)}`;
}

function responseView(document: OpenApiDocument, view: FieldView, response: ResponseReference): Html {
  const { status, description, headers, content } = response;
  const isSuccess = status.startsWith('2');
  const inner = html`${
    headers.length > 0 && html`<p class="facts">Headers:</p>${parameterList(headers, view)}`
  }${content.map(
    (media) =>
      html`${mediaView(view, media, 'response')}${
        isSuccess &&
        isJsonType(media.type) &&
        exampleView(document, media.schema, 'response', media.example, 'Example response')
      }`,
  )}`;
  const label = html`<span class="status">${status === 'default' ? 'Other' : status}</span> ${firstLine(description)}`;
  return inner.text === ''
    ? html`<p class="response-line">${label}</p>`
    : html`<details${isSuccess && html` open`}><summary>${label}</summary>${inner}</details>`;
}

const firstLine = (text: string) => text.trim().split('\n')[0];

function exampleView(
  document: OpenApiDocument,
  schema: unknown,
  direction: Direction,
  example: unknown,
  label: string,
): Html | false {
  const text = JSON.stringify(example ?? exampleValue(document, schema, direction), null, 2);
  return (
    text !== undefined && text.length <= MAX_PAGE_EXAMPLE_CHARACTERS && sampleView({ label, source: text })
  );
}

function sampleView({ label, source }: Sample): Html {
  const [first = '', ...others] = source.split(SERVER_URL);
  return html`<figure class="sample"><figcaption>${label}</figcaption><button type="button" class="copy" hidden aria-label="Copy ${label}">Copy</button>
<pre tabindex="0" aria-label="${label}" role="group"><code>${first}${others.map((part) => html`<span class="server">${SERVER_URL}</span>${part}`)}</code></pre></figure>`;
}
