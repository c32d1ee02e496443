import { join } from 'node:path';
import { type CompilerHost, compile, createSourceFile, NodeHost } from '@typespec/compiler';
import { describe, expect, it } from 'vitest';

const repository = join(import.meta.dirname, '..', '..');
const entry = join(import.meta.dirname, 'lint.tsp');

/** A contract that keeps every rule. */
const keepsRules = `
import "@typespec/http";
import "@typespec/openapi";
import "../../spec/checks.js";
import "../../spec/common/scalars.tsp";
import "../../spec/common/errors.tsp";
import "../../spec/common/lists.tsp";
import "../../spec/common/parameters.tsp";

using Http;
using OpenAPI;

/** Lends books. */
@service(#{ title: "Library" })
namespace Colophon;

/** A book. */
model Book {
  /** Its title. */
  title: string;

  /** Its binding. */
  binding?: Binding;

  /** What readers said of it. */
  remarks?: {
    /** The words. */
    text: string;
  }[];
}

/** How a book is bound. */
enum Binding {
  /** In boards. */
  hard,

  /** In paper. */
  soft,
}

/** A new book. */
model BookCreate {
  /** Its title. */
  title: ShortText;

  /** Its binding. */
  binding?: Binding;

  /** The books that it is bound with. */
  volumes?: BookCreate[];

  /** Its catalogue card, in any shape. */
  card?: Record<unknown>;

  /** When it came. */
  arrived?: utcDateTime | null;

  /** Its shelf. */
  shelf?: "north" | "south";
}

/** The books. */
@route("/books")
@tag("Books")
interface Books {
  /** Answers the books. */
  @operationId("listBooks")
  @summary("List books")
  @get
  list(...ListQuery): ListOf<Book> | CommonErrors;
}

/** The desk. */
@route("/books")
@tag("Desk")
interface Desk {
  /** Takes a book in. */
  @operationId("createBook")
  @summary("Create a book")
  @post
  create(@body book: BookCreate): CreatedWithoutLocation<Book> | CommonErrors;

  /** Gives a book away. */
  @operationId("deleteBook")
  @summary("Delete a book")
  @delete
  @route("/{bookId}")
  delete(
    /** The id of the book. */
    @path bookId: Identifier,
  ): NoContent | ResourceErrors;
}
`;

/** Compiles the contract above after an edit, and answers what the compiler reports as \`code: message\`. */
async function problemsAfter(from = '', to = ''): Promise<string[]> {
  if (!keepsRules.includes(from)) throw new Error(`The contract does not hold ${JSON.stringify(from)}.`);
  const text = keepsRules.replace(from, to);
  const host: CompilerHost = {
    ...NodeHost,
    readFile: async (path) => (path === entry ? createSourceFile(text, path) : NodeHost.readFile(path)),
    stat: async (path) =>
      path === entry ? { isFile: () => true, isDirectory: () => false } : NodeHost.stat(path),
  };
  const program = await compile(host, entry, { noEmit: true });
  return program.diagnostics.map(({ code, message }) => `${code}: ${message}`);
}

const id = '@operationId("listBooks")';
const failures = 'ListOf<Book> | CommonErrors';
const named = 'NoContent | ResourceErrors';

describe('the rules of the contract', () => {
  it('let a contract pass that keeps them', async () => {
    expect(await problemsAfter()).toEqual([]);
  });

  it('hold the contract of the service, which imports them', async () => {
    const program = await compile(NodeHost, join(repository, 'spec', 'main.tsp'), { noEmit: true });
    expect(program.jsSourceFiles.has(join(repository, 'spec', 'checks.js'))).toBe(true);
    expect(program.diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
  });

  it.each([
    ['no operation id', id, '', 'operation-id-missing', 'Operation "list" has no id'],
    ['an id without a verb', id, '@operationId("booksList")', 'operation-id-form', '"booksList"'],
    ['an id without a noun', id, '@operationId("list")', 'operation-id-form', '"list"'],
    ['an id that is not camelCase', id, '@operationId("list_books")', 'operation-id-form', '"list_books"'],
    ['an id that is taken', '"createBook"', '"listBooks"', 'operation-id-twice', '"GET /books" already'],
    ['no summary', '@summary("List books")', '', 'operation-summary-missing', 'Operation "list"'],
    ['no tag', '@tag("Books")', '', 'operation-tag-missing', 'Operation "list"'],
    ['no failures', failures, 'ListOf<Book>', 'errors-missing', '400, 401, 403, 429, default'],
    ['no 400', failures, otherFailures('BadRequest'), 'errors-missing', 'does not declare 400.'],
    ['no 401', failures, otherFailures('Unauthorized'), 'errors-missing', 'does not declare 401.'],
    ['no 403', failures, otherFailures('Forbidden'), 'errors-missing', 'does not declare 403.'],
    ['no 429', failures, otherFailures('TooManyRequests'), 'errors-missing', 'does not declare 429.'],
    ['no default', failures, otherFailures('UnexpectedError'), 'errors-missing', 'not declare default.'],
    [
      'no 404 at a named thing',
      named,
      'NoContent | CommonErrors',
      'errors-missing',
      'Add "| ResourceErrors"',
    ],
    ['a deletion with another success', named, 'Book | ResourceErrors', 'delete-status', 'answers 200.'],
    [
      'a deletion with two successes',
      named,
      'NoContent | Book | ResourceErrors',
      'delete-status',
      '200 and 204',
    ],
    ['a list without pages', 'list(...ListQuery)', 'list()', 'list-unpaged', 'page and limit'],
    [
      'a list without a limit',
      'list(...ListQuery)',
      'list(/** x */ @query page?: ShortText)',
      'list-unpaged',
      ' limit.',
    ],
    [
      'a page of a list made by hand',
      'list(...ListQuery): ListOf<Book>',
      'list(): { /** x */ items: Book[]; /** x */ next?: NextPage }',
      'list-unpaged',
      'page and limit',
    ],
    ['a model without doc', '/** A book. */', '', 'doc-missing', 'Model "Book" has no doc'],
    ['a property without doc', '/** Its title. */', '', 'doc-missing', 'Property "Book.title"'],
    ['a property of a nameless model without doc', '/** The words. */', '', 'doc-missing', 'Property "text"'],
    ['an enum without doc', '/** How a book is bound. */', '', 'doc-missing', 'Enum "Binding"'],
    ['a member without doc', '/** In paper. */', '', 'doc-missing', 'Member "Binding.soft"'],
    ['an operation without doc', '/** Answers the books. */', '', 'doc-missing', 'Operation "list"'],
    ['a parameter without doc', '/** The id of the book. */', '', 'doc-missing', 'Property "delete.bookId"'],
    [
      'a scalar without doc',
      '/** A new book. */',
      'scalar Isbn extends ShortText; /** x */',
      'doc-missing',
      '"Isbn"',
    ],
    [
      'a union without doc',
      '/** A new book. */',
      'union Cover { hard: Binding } /** x */',
      'doc-missing',
      '"Cover"',
    ],
  ])('refuse %s', async (_name, from, to, code, message) => {
    const problems = await problemsAfter(from, to);
    expect(problems).toEqual([expect.stringContaining(message)]);
    expect(problems[0]?.split(': ')[0]).toBe(`contract/${code}`);
  });

  it.each([
    ['in the body', 'title: ShortText;', 'title: string;', 'title'],
    ['below a list', 'volumes?: BookCreate[]', 'volumes?: string[]', 'volumes'],
    ['below a map', 'card?: Record<unknown>', 'card?: Record<string>', 'card'],
    ['that may be null', 'arrived?: utcDateTime | null', 'arrived?: string | null', 'arrived'],
    ['that is an address', 'title: ShortText;', 'title: url;', 'title'],
    ['of bytes', 'title: ShortText;', 'title: bytes;', 'title'],
    ['that only a pattern bounds', 'title: ShortText;', '@pattern("^.+$") title: string;', 'title'],
    ['with a long format', 'title: ShortText;', '@format("uri") title: string;', 'title'],
    ['in a nameless model', 'title: ShortText;', 'title: { /** x */ short: string };', 'short'],
    ['that is the whole body', '@body book: BookCreate', '@body book: string', 'book'],
    ['in the path', '@path bookId: Identifier', '@path bookId: string', 'bookId'],
    ['in the query', 'list(...ListQuery)', 'list(...ListQuery, /** x */ @query by?: string)', 'by'],
    ['in a repeated key', 'list(...ListQuery)', 'list(...ListQuery, /** x */ @query by?: string[])', 'by'],
    ['in a header', 'list(...ListQuery)', 'list(...ListQuery, /** x */ @header by?: string)', 'by'],
  ])('refuse unbounded text in a request: %s', async (_name, from, to, name) => {
    expect(await problemsAfter(from, to)).toEqual([
      expect.stringMatching(
        new RegExp(`^contract/string-unbounded: The text in "${name}" has no upper bound`),
      ),
    ]);
  });

  it.each([
    ['a property', 'title: ShortText;', '@maxLength(9) title: string;'],
    ['a property that may be null', 'title: ShortText;', '@maxLength(9) title: string | null;'],
    ['a short format', 'title: ShortText;', '@format("uuid") title: string;'],
    ['the literals of a union', 'title: ShortText;', 'title: "a" | "b" | null;'],
  ])('let text pass in a request that is bounded by %s', async (_name, from, to) => {
    expect(await problemsAfter(from, to)).toEqual([]);
  });
});

/** The failures of every operation, all but one. */
function otherFailures(left: string): string {
  const all = ['BadRequest', 'Unauthorized', 'Forbidden', 'TooManyRequests', 'UnexpectedError'];
  return ['ListOf<Book>', ...all.filter((name) => name !== left)].join(' | ');
}
