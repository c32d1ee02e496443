/** A request of a curl command. */
export interface CurlRequest {
  method: string;
  url: string;
  headers: Headers;
  body: string | FormData | undefined;
}

/** Splits a command as a POSIX shell does: words, quotes, escapes and line continuations. `$TOKEN` is `secret`. */
export function shellWords(command: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [, single, double, escaped, space, plain] of command.matchAll(
    /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\([\s\S])|(\s+)|([\s\S])/g,
  )) {
    if (space !== undefined) {
      words.push(...(word === undefined ? [] : [word]));
      word = undefined;
    } else if (escaped !== '\n') {
      const text = single ?? double?.replaceAll('$TOKEN', 'secret') ?? escaped ?? plain ?? '';
      word = (word ?? '') + text;
    }
  }
  return word === undefined ? words : [...words, word];
}

/**
 * Reads a command as curl does, with the options that samples have. The file `file` contains `content`.
 *
 * @throws Error for an option, or a URL that curl would expand
 */
export function readCurl(command: string, file = 'content'): CurlRequest {
  const [program, ...rest] = shellWords(command);
  if (program !== 'curl') {
    throw new Error(`Not a curl command: ${command}`);
  }
  const headers = new Headers();
  const data: string[] = [];
  const form = new FormData();
  let method: string | undefined;
  let url = '';
  const next = () => rest.shift() ?? '';
  const contentOf = (text: string) => (text === '@file' ? file : text);
  while (rest.length > 0) {
    const option = next();
    switch (option) {
      case '-X':
        method = next();
        break;
      case '--head':
        method = 'HEAD';
        break;
      case '-H': {
        const [, name = '', value = ''] = /^([^:;]+)(?:: ?(.*)|;)$/s.exec(next()) ?? [];
        headers.append(name, value);
        break;
      }
      case '-b':
        headers.set('cookie', next());
        break;
      case '-u':
        headers.set('authorization', `Basic ${btoa(next())}`);
        break;
      case '-d':
      case '--data-binary':
        data.push(contentOf(next()));
        break;
      case '--data-raw':
        data.push(next());
        break;
      case '--data-urlencode': {
        const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(next()) ?? [];
        data.push(`${name}=${encodeURIComponent(value)}`);
        break;
      }
      case '--form-string': {
        const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(next()) ?? [];
        form.append(name, value);
        break;
      }
      case '-F':
        addPart(form, next(), file);
        break;
      default:
        if (option.startsWith('-') || /[[\]{}]/.test(option)) {
          throw new Error(`Not supported, or expanded by curl: ${option}`);
        }
        url = option;
    }
  }
  const hasParts = [...form.keys()].length > 0;
  const body = hasParts ? form : data.length > 0 ? data.join('&') : undefined;
  if (typeof body === 'string' && !headers.has('content-type')) {
    headers.set('content-type', 'application/x-www-form-urlencoded');
  }
  return { method: method ?? (body === undefined ? 'GET' : 'POST'), url, headers, body };
}

/** Adds a part of `-F`: `name=text`, `name="quoted text"` or `name=@file`, and its `;type=`. */
function addPart(form: FormData, text: string, file: string): void {
  const [, name = '', content = '', type] =
    /^([^=]*)=("(?:[^"\\]|\\.)*"|[^;]*)(?:;type=(.*))?$/s.exec(text) ?? [];
  const value = content.startsWith('"') ? content.slice(1, -1).replaceAll(/\\(.)/g, '$1') : content;
  if (content === '@file') {
    form.append(name, new File([file], 'file', { type: type ?? 'application/octet-stream' }));
  } else if (type === undefined) {
    form.append(name, value);
  } else {
    form.append(name, new Blob([value], { type }));
  }
}

/** Sends the request of a command to a server. */
export async function sendCurl(command: string, server: string): Promise<Response> {
  const { method, url, headers, body } = readCurl(command);
  const target = url.replace('https://api.example.com', server);
  return await fetch(target, { method, headers, ...(body !== undefined && { body }) });
}
