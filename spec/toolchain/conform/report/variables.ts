import type { Reference } from '../plan/plan.ts';
import type { Exchange } from '../wire/exchange.ts';
import { jqFilter, quoted, variableName } from './shell.ts';

/** How a value goes into a request: percent-encoded, as it is, or as JSON. */
export type Form = 'uri' | 'text' | 'json';

/** A variable of the shell that holds a value of an earlier answer. */
interface Variable {
  reference: Reference;
  form: Form;
  name: string;
}

/** The values that requests take from the answers of earlier ones, as variables of bash. */
export class Variables {
  readonly #all: Variable[] = [];

  /** The name of the variable for a value. */
  nameFor(reference: Reference, form: Form): string {
    const { step, from } = reference;
    const same = this.#all.find(
      (one) => one.form === form && one.reference.step === step && one.reference.from === from,
    );
    if (same) return same.name;
    const plain = variableName(`${from.replace(/^header:/, '')}${form === 'uri' ? '' : `_${form}`}`);
    let name = `${plain}_${step + 1}`;
    while (this.#all.some((one) => one.name === name)) name += '_';
    this.#all.push({ reference, form, name });
    return name;
  }

  /** A command within what fills the variables from its answer; the command itself where there are none. */
  filledBy(command: string, step: number, exchange: Exchange | undefined): string {
    const variables = this.#all.filter(({ reference }) => reference.step === step);
    const [first, ...more] = variables;
    if (!first) return command;
    const isOfHeader = ({ reference }: Variable) => reference.from.startsWith('header:');
    if (more.length === 0 && !isOfHeader(first))
      return `${first.name}=$(${command} | ${ofBody(first, exchange)})`;
    const answer = `answer_${step + 1}`;
    const withHead = variables.some(isOfHeader);
    // What stands before the first empty line is the head of the answer.
    const body = withHead ? `sed '1,/^\\r*$/d' <<<"$${answer}"` : `cat <<<"$${answer}"`;
    return [
      `${answer}=$(${withHead ? command.replace('curl -sS', 'curl -sS --include') : command})`,
      ...variables.map((variable) => {
        const { name, reference } = variable;
        if (!isOfHeader(variable)) return `${name}=$(${body} | ${ofBody(variable, exchange)})`;
        const [header = '', parameter] = reference.from.slice('header:'.length).split('?');
        const pick = `sed -n ${quoted(`/^\\r*$/q; s/^${header}: *//Ip`)} <<<"$${answer}" | tr -d '\\r'`;
        return `${name}=$(${[pick, ...ofHeader(variable, header, parameter)].join(' | ')})`;
      }),
    ].join('; ');
  }
}

/** What reads a value out of a body. */
function ofBody({ reference: { from }, form }: Variable, exchange: Exchange | undefined): string {
  const [, pointer, parameter] = /^(.*)\?([^?/]+)$/s.exec(from) ?? [];
  const json = exchange?.answer?.json;
  if (pointer !== undefined && parameter !== undefined)
    return [`jq -r ${quoted(jqFilter(pointer, json))}`, queryValue(parameter), ...decoded(form)].join(' | ');
  const filter = jqFilter(from, json);
  if (form === 'json') return `jq -c ${quoted(filter)}`;
  return `jq -r ${quoted(form === 'uri' ? `${filter} | @uri` : filter)}`;
}

/** What reads a value out of a header: of `Location` the last part of the path, of `Link` what the next page asks for. */
function ofHeader({ form }: Variable, header: string, parameter: string | undefined): string[] {
  if (header === 'location') return ["sed 's/[?#].*//; s#/*$##; s#.*/##'", ...decoded(form)];
  if (header === 'link' && parameter !== undefined)
    return [`grep -oiE '<[^>]*>[^,]*; *rel="?next'`, queryValue(parameter), ...decoded(form)];
  return { uri: ["jq -Rr '@uri'"], json: ['jq -R .'], text: [] }[form];
}

const queryValue = (parameter: string): string =>
  `sed -n ${quoted(`s/.*[?&]${parameter.replace(/[^\w-]/g, '\\$&')}=\\([^&#>]*\\).*/\\1/p`)}`;

/** What undoes percent-encoding, where a value is not to be percent-encoded. */
function decoded(form: Form): string[] {
  if (form === 'uri') return [];
  const decode = `sed 's/\\\\/\\\\\\\\/g; s/+/ /g; s/%/\\\\x/g' | { read -r coded; printf '%b' "$coded"; }`;
  return form === 'json' ? [decode, 'jq -R .'] : [decode];
}
