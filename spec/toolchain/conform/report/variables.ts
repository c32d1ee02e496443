import { addressPointer } from '../../model/plan/id-sources.ts';
import type { Reference } from '../../model/plan/plan.ts';
import type { Exchange } from '../wire/exchange.ts';
import { jqFilter, quote, variableName } from './shell.ts';

/** Encoding of a value in a request: percent-encoded, plain, or JSON. */
export type Encoding = 'uri' | 'text' | 'json';

/** Shell variable with a value of an earlier response. */
interface Variable {
  reference: Reference;
  encoding: Encoding;
  name: string;
}

/** Values from earlier responses as variables of bash. */
export class Variables {
  readonly #all: Variable[] = [];

  /** Returns the name of the variable for a value. */
  nameFor(reference: Reference, encoding: Encoding): string {
    const { step, from } = reference;
    const existing = this.#all.find(
      (variable) =>
        variable.encoding === encoding &&
        variable.reference.step === step &&
        variable.reference.from === from,
    );
    if (existing) {
      return existing.name;
    }
    const plain = variableName(`${from.replace(/^header:/, '')}${encoding === 'uri' ? '' : `_${encoding}`}`);
    let name = `${plain}_${step + 1}`;
    while (this.#all.some((variable) => variable.name === name)) {
      name += '_';
    }
    this.#all.push({ reference, encoding, name });
    return name;
  }

  /** Wraps a command so that its response is assigned to variables. Returns it unchanged if there are none. */
  assignFrom(command: string, step: number, exchange: Exchange | undefined): string {
    const variables = this.#all.filter(({ reference }) => reference.step === step);
    const [first, ...more] = variables;
    if (!first) {
      return command;
    }
    const isOfHeader = ({ reference }: Variable) => reference.from.startsWith('header:');
    if (more.length === 0 && !isOfHeader(first)) {
      return `${first.name}=$(${command} | ${bodyFilter(first, exchange)})`;
    }
    const response = `response_${step + 1}`;
    const withHead = variables.some(isOfHeader);
    // The head of the response ends at the first empty line.
    const body = withHead ? `sed '1,/^\\r*$/d' <<<"$${response}"` : `cat <<<"$${response}"`;
    return [
      `${response}=$(${withHead ? command.replace('curl -sS', 'curl -sS --include') : command})`,
      ...variables.map((variable) => {
        const { name, reference } = variable;
        if (!isOfHeader(variable)) {
          return `${name}=$(${body} | ${bodyFilter(variable, exchange)})`;
        }
        const [header = '', parameter] = reference.from.slice('header:'.length).split('?');
        const pick = `sed -n ${quote(`/^\\r*$/q; s/^${header}: *//Ip`)} <<<"$${response}" | tr -d '\\r'`;
        return `${name}=$(${[pick, ...headerFilter(variable, header, parameter)].join(' | ')})`;
      }),
    ].join('; ');
  }
}

/** Returns the filter that extracts a value from a body. */
function bodyFilter({ reference: { from }, encoding }: Variable, exchange: Exchange | undefined): string {
  const [, pointer, parameter] = /^(.*)\?([^?/]+)$/s.exec(from) ?? [];
  const json = exchange?.response?.json;
  if (pointer !== undefined && parameter !== undefined) {
    return [`jq -r ${quote(jqFilter(pointer, json))}`, queryValue(parameter), ...decoded(encoding)].join(
      ' | ',
    );
  }
  const address = addressPointer(from);
  if (address !== undefined) {
    return [`jq -r ${quote(jqFilter(address, json))}`, LAST_SEGMENT, ...decoded(encoding)].join(' | ');
  }
  const filter = jqFilter(from, json);
  if (encoding === 'json') {
    return `jq -c ${quote(filter)}`;
  }
  return `jq -r ${quote(encoding === 'uri' ? `${filter} | @uri` : filter)}`;
}

/** Returns filters for a header: the last path segment of `Location`, or a query parameter of the next `Link`. */
function headerFilter({ encoding }: Variable, header: string, parameter: string | undefined): string[] {
  if (header === 'location') {
    return [LAST_SEGMENT, ...decoded(encoding)];
  }
  if (header === 'link' && parameter !== undefined) {
    return [`grep -oiE '<[^>]*>[^,]*; *rel="?next'`, queryValue(parameter), ...decoded(encoding)];
  }
  return { uri: ["jq -Rr '@uri'"], json: ['jq -R .'], text: [] }[encoding];
}

/** Filter that extracts the last path segment of a URL. */
const LAST_SEGMENT = "sed 's/[?#].*//; s#/*$##; s#.*/##'";

const queryValue = (parameter: string): string =>
  `sed -n ${quote(`s/.*[?&]${parameter.replace(/[^\w-]/g, '\\$&')}=\\([^&#>]*\\).*/\\1/p`)}`;

/** Returns filters that decode percent-encoding, unless the value is needed percent-encoded. */
function decoded(encoding: Encoding): string[] {
  if (encoding === 'uri') {
    return [];
  }
  const decode = `sed 's/\\\\/\\\\\\\\/g; s/+/ /g; s/%/\\\\x/g' | { read -r coded; printf '%b' "$coded"; }`;
  return encoding === 'json' ? [decode, 'jq -R .'] : [decode];
}
