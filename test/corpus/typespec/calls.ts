import type { Call } from './client-side.ts';

/** Returns a program that makes calls. Each call must compile. Files are empty. */
export function callsProgram(calls: readonly Call[]): string {
  const names = [...new Set(calls.map(({ one }) => one.name))];
  const statements = calls.map(({ one, input }, index) => {
    const passed = Object.keys(input).length > 0 ? `, ${literal(input)}` : ', {}';
    return `export const call${index} = functions.${one.name}(client${passed});`;
  });
  return names.length === 0
    ? 'export {};\n'
    : [
        "import * as functions from './functions.ts';",
        'declare const client: functions.Caller;',
        ...statements,
        '',
      ].join('\n');
}

function literal(value: unknown): string {
  if (value instanceof File) {
    return `new File([], ${JSON.stringify(value.name)}, { type: ${JSON.stringify(value.type)} })`;
  }
  if (value instanceof Blob) {
    return 'new Blob([])';
  }
  if (Array.isArray(value)) {
    return `[${value.map(literal).join(', ')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, member]) => `${JSON.stringify(name)}: ${literal(member)}`,
    );
    return `{ ${members.join(', ')} }`;
  }
  return JSON.stringify(value) ?? 'undefined';
}
