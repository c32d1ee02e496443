import { type OpenApiDocument, schemaOf } from '../document.ts';
import { isObject, textOrJson } from '../json-values.ts';
import { isJsonType, isMultipart, isTextType, isUrlEncoded } from '../media-types.ts';
import type { Notation } from './assets/notation.js';
import { typeOf } from './example-value.ts';
import { type Html, html } from './html.ts';
import { preferredMedia } from './media.ts';
import {
  type FormField,
  formFields,
  type InputKind,
  otherNotation,
  parameterInput,
  parameterNotation,
} from './notations.ts';
import type { MediaReference, OperationReference, ParameterReference, SchemeReference } from './reference.ts';
import { bodyExample } from './sample-values.ts';

/** Renders the form that sends a request of an operation. The script of the page shows it and sends the request. */
export function requestForm(document: OpenApiDocument, operation: OperationReference): Html {
  const { method, template, parameters, schemes } = operation;
  const media = preferredMedia(operation);
  return html`<form class="request" id="request" data-method="${method}" data-path="${template}" hidden>
<h2>Send a request</h2>
${schemes.map(credentialField)}
${parameters.map((parameter) => parameterField(document, parameter))}
${media && (method === 'GET' || method === 'HEAD' ? noBody(method) : bodyField(document, media, operation.body?.required === true))}
<button type="submit" class="primary">Send request</button>
<div class="response" role="status"></div>
</form>`;
}

const noBody = (method: string) => html`<p class="hint">Browsers send no body with ${method}.</p>`;

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

/** Where the value of a field is sent, and how the script reads and writes it. */
const written = (notation: Notation, input: InputKind) =>
  html`data-notation="${JSON.stringify(notation)}" data-input="${input}"`;

/** A hint about what to enter, for values that are not a text. */
const PLACEHOLDERS: Readonly<Record<InputKind, string>> = {
  text: '',
  lines: 'One value per line',
  json: 'JSON',
  mixed: 'Text or JSON',
};

function parameterField(document: OpenApiDocument, parameter: ParameterReference): Html {
  const { name, in: location, required, example, mayBeEmpty } = parameter;
  const schema = schemaOf(document, parameter.schema);
  const id = `${location}-${name}`;
  const input = parameterInput(document, parameter);
  const attributes = html`id="${id}" ${written(parameterNotation(parameter), input)}${required && !mayBeEmpty && html` required`}`;
  const field = () => {
    const isBoolean = typeOf(schema) === 'boolean';
    const options = Array.isArray(schema.enum) ? schema.enum : isBoolean ? [true, false] : undefined;
    if (input === 'text' && options !== undefined && !(required && options.length === 0)) {
      return html`<select ${attributes}><option value=""></option>${options.map((option) => html`<option>${textOrJson(option)}</option>`)}</select>`;
    }
    return valueField(attributes, input, example);
  };
  const emptyField =
    mayBeEmpty &&
    html`<label class="choice"><input type="checkbox" data-empty="${id}"> Send <code>${name}</code> without a value</label>`;
  return html`<div class="field">
<label for="${id}"><code>${name}</code> <span class="type">${location}${required && ', required'}</span></label>
${field()}${emptyField}${location === 'cookie' && COOKIE_HINT}
</div>`;
}

const COOKIE_HINT = html`<p class="hint">Set as a cookie of this page for the path of the request, until the response.</p>`;

function valueField(attributes: Html, input: InputKind, example: unknown): Html {
  const placeholder = PLACEHOLDERS[input];
  if (input === 'text') {
    return html`<input ${attributes} type="text" autocomplete="off" spellcheck="false" value="${example === undefined ? '' : textOrJson(example)}">`;
  }
  const isLines = input === 'lines' && Array.isArray(example);
  const value =
    example === undefined
      ? ''
      : isLines
        ? example.map(textOrJson).join('\n')
        : input === 'mixed'
          ? textOrJson(example)
          : JSON.stringify(example);
  return html`<textarea ${attributes} rows="2" spellcheck="false" placeholder="${placeholder}">${value}</textarea>`;
}

function bodyField(document: OpenApiDocument, media: MediaReference, required: boolean): Html {
  const { type } = media;
  if (isMultipart(type) || isUrlEncoded(type)) {
    const { fields, isMap } = formFields(document, media);
    const example = isObject(media.example) ? media.example : {};
    return html`<fieldset data-body="${type}"><legend>Body <span class="type">${type}</span></legend>${fields.map(
      (field) => formField(field, Object.hasOwn(example, field.name) ? example[field.name] : undefined),
    )}${isMap && otherFields()}</fieldset>`;
  }
  const label = html`<label for="body">Body <span class="type">${type}${required && ', required'}</span></label>`;
  if (!isJsonType(type) && !isTextType(type)) {
    return html`<div class="field">${label}<input id="body" data-body="${type}" type="file"></div>`;
  }
  const example = bodyExample(document, media);
  const value = isJsonType(type) ? JSON.stringify(example ?? {}, null, 2) : textOrJson(example ?? '');
  return html`<div class="field">${label}<textarea id="body" data-body="${type}" rows="${Math.min(16, Math.max(4, value.split('\n').length))}" spellcheck="false">${value}</textarea></div>`;
}

function formField({ name, notation, input, isFile, isList, required }: FormField, example: unknown): Html {
  const id = `body-${name}`;
  const attributes = html`id="${id}" ${written(notation, input)}`;
  return html`<div class="field">
<label for="${id}"><code>${name}</code>${required && html` <span class="type">required</span>`}</label>
${
  isFile
    ? html`<input ${attributes} type="file"${isList && html` multiple`}>`
    : valueField(attributes, input, example)
}
</div>`;
}

/** Fields of names that the contract does not declare. */
const otherFields = () => html`<div class="field">
<label for="other-fields">Other fields</label>
<textarea id="other-fields" data-others ${written(otherNotation(''), 'json')} rows="2" spellcheck="false" placeholder="JSON object"></textarea>
</div>`;
