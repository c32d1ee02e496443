import { isObject, type OpenApiDocument, schemaOf } from '../document.ts';
import { type Html, html } from '../html.ts';
import { typeOf } from './example-value.ts';
import type { MediaReference, OperationReference, ParameterReference, SchemeReference } from './reference.ts';
import { bodyExample, isFile, isJson, isMultipart, isUrlEncoded, preferredMedia } from './samples.ts';

/** Renders the form that sends a request of an operation. The script of the page shows it and sends the request. */
export function requestForm(document: OpenApiDocument, operation: OperationReference): Html {
  const { method, path, parameters, schemes } = operation;
  const media = preferredMedia(operation);
  return html`<form class="request" id="request" data-method="${method}" data-path="${path}" hidden>
<h2>Send a request</h2>
${schemes.map(credentialField)}
${parameters.filter((parameter) => parameter.in !== 'cookie').map((parameter) => parameterField(document, parameter))}
${media && bodyField(document, media, operation.body?.required === true)}
<button type="submit" class="primary">Send request</button>
<div class="response" role="status"></div>
</form>`;
}

function credentialField({ name, type, scheme, in: location, parameter }: SchemeReference): Html {
  if (type === 'mutualTLS' || location === 'cookie') {
    return html`<p class="hint">The browser sends the credentials of ${name} itself.</p>`;
  }
  const target =
    type === 'apiKey'
      ? html`data-in="${location}" data-name="${parameter}"`
      : html`data-in="header" data-name="Authorization" data-scheme="${scheme === '' ? 'bearer' : scheme}"`;
  const label = type === 'apiKey' ? parameter : scheme === 'basic' ? 'User and password' : 'Access token';
  const hint = scheme === 'basic' ? 'Separated by a colon. ' : '';
  return html`<div class="field">
<label for="credential-${name}">${label} <span class="type">${name}</span></label>
<input id="credential-${name}" data-credential="${name}" ${target} type="password" autocomplete="off" spellcheck="false" aria-describedby="credential-${name}-hint">
<p class="hint" id="credential-${name}-hint">${hint}Kept in this tab until it is closed.</p>
</div>`;
}

function parameterField(document: OpenApiDocument, parameter: ParameterReference): Html {
  const { name, in: location, required, example, explode } = parameter;
  const schema = schemaOf(document, parameter.schema);
  const type = typeOf(schema);
  const id = `${location}-${name}`;
  const attributes = html`id="${id}" data-in="${location}" data-name="${name}"${required && html` required`}`;
  const value = example === undefined ? '' : textOf(example);
  const input = () => {
    const options = Array.isArray(schema.enum) ? schema.enum : type === 'boolean' ? [true, false] : undefined;
    if (options !== undefined && !(required && options.length === 0)) {
      return html`<select ${attributes}><option value=""></option>${options.map((option) => html`<option>${textOf(option)}</option>`)}</select>`;
    }
    if (type === 'array') {
      return html`<textarea ${attributes} data-list="${explode ? 'repeated' : 'joined'}" rows="2" placeholder="One value per line">${value}</textarea>`;
    }
    return html`<input ${attributes} type="text" autocomplete="off" spellcheck="false" value="${value}"${
      type === 'object' && html` data-object placeholder="JSON object"`
    }>`;
  };
  return html`<div class="field">
<label for="${id}"><code>${name}</code> <span class="type">${location}${required && ', required'}</span></label>
${input()}
</div>`;
}

function bodyField(document: OpenApiDocument, media: MediaReference, required: boolean): Html {
  const { type } = media;
  if (isMultipart(type) || isUrlEncoded(type)) {
    const { properties, required: names } = schemaOf(document, media.schema);
    const fields = Object.entries(isObject(properties) ? properties : {});
    return html`<fieldset data-body="${type}"><legend>Body <span class="type">${type}</span></legend>${fields.map(
      ([name, schema]) => html`<div class="field">
<label for="body-${name}"><code>${name}</code>${
        Array.isArray(names) && names.includes(name) && html` <span class="type">required</span>`
      }</label>
<input id="body-${name}" data-field="${name}" type="${isFile(document, schema) ? 'file' : 'text'}">
</div>`,
    )}</fieldset>`;
  }
  const label = html`<label for="body">Body <span class="type">${type}${required && ', required'}</span></label>`;
  if (!isJson(type) && !type.startsWith('text/')) {
    return html`<div class="field">${label}<input id="body" data-body="${type}" type="file"></div>`;
  }
  const example = bodyExample(document, media);
  const value = isJson(type) ? JSON.stringify(example ?? {}, null, 2) : textOf(example ?? '');
  return html`<div class="field">${label}<textarea id="body" data-body="${type}" rows="${Math.min(16, Math.max(4, value.split('\n').length))}" spellcheck="false">${value}</textarea></div>`;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
