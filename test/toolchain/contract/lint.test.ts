import { join } from 'node:path';
import { type CompilerHost, compile, createSourceFile, NodeHost, type SourceFile } from '@typespec/compiler';
import { describe, expect, test } from 'vitest';

const repository = join(import.meta.dirname, '../../..');
const entry = join(import.meta.dirname, 'lint.tsp');

/** A contract that satisfies every rule. */
const validContract = `
import "@typespec/http";
import "@typespec/openapi";
import "../../../spec/checks.js";
import "../../../spec/common/scalars.tsp";
import "../../../spec/common/errors.tsp";
import "../../../spec/common/lists.tsp";
import "../../../spec/common/parameters.tsp";

using Http;
using OpenAPI;

/** Lends books. */
@service(#{ title: "Library" })
namespace Colophon;

/** Book. */
model Book {
  /** Title. */
  title: string;

  /** Type of binding. */
  binding?: Binding;

  /** Remarks by readers. */
  remarks?: {
    /** Text. */
    text: string;
  }[];
}

/** Type of binding of a book. */
enum Binding {
  /** Hardcover. */
  hard,

  /** Paperback. */
  soft,
}

/** Book to create. */
model BookCreate {
  /** Title. */
  title: ShortText;

  /** Type of binding. */
  binding?: Binding;

  /** Other volumes of the book. */
  volumes?: BookCreate[];

  /** Catalog card, with any fields. */
  card?: Record<unknown>;

  /** Time of arrival. */
  arrived?: utcDateTime | null;

  /** Shelf. */
  shelf?: "north" | "south";
}

/** Books. */
@route("/books")
@tag("Books")
interface Books {
  /** Lists the books. */
  @operationId("listBooks")
  @summary("List books")
  @list
  @get
  list(...ListQuery): ListOf<Book> | CommonErrors;
}

/** Desk. */
@route("/books")
@tag("Desk")
interface Desk {
  /** Creates a book. */
  @operationId("createBook")
  @summary("Create a book")
  @post
  create(...IdempotencyKeyHeader, @body book: BookCreate): CreatedWithoutLocation<Book> | CommonErrors;

  /** Deletes a book. */
  @operationId("deleteBook")
  @summary("Delete a book")
  @delete
  @route("/{bookId}")
  delete(
    /** Identifier of the book. */
    @path bookId: Identifier,
  ): NoContent | ResourceErrors;
}
`;

/** Libraries, which are read and parsed once. */
const libraries = new Map<string, Promise<SourceFile>>();
const parseCache: NonNullable<CompilerHost['parseCache']> = new WeakMap();

function readLibrary(path: string): Promise<SourceFile> {
  const file = libraries.get(path) ?? NodeHost.readFile(path);
  libraries.set(path, file);
  return file;
}

/** Compiles the contract above after an edit. Returns the diagnostics, each as `code: message`. */
async function diagnosticsAfter(from = '', to = ''): Promise<string[]> {
  if (!validContract.includes(from)) {
    throw new Error(`The contract does not contain ${JSON.stringify(from)}.`);
  }
  const text = validContract.replace(from, to);
  const host: CompilerHost = {
    ...NodeHost,
    parseCache,
    readFile: async (path) => (path === entry ? createSourceFile(text, path) : readLibrary(path)),
    stat: async (path) =>
      path === entry ? { isFile: () => true, isDirectory: () => false } : NodeHost.stat(path),
  };
  const program = await compile(host, entry, { noEmit: true });
  return program.diagnostics.map(({ code, message }) => `${code}: ${message}`);
}

const id = '@operationId("listBooks")';
const listReturnType = 'ListOf<Book> | CommonErrors';
const deleteReturnType = 'NoContent | ResourceErrors';

describe('contract rules', () => {
  test('accept a contract that satisfies them', async () => {
    expect(await diagnosticsAfter()).toEqual([]);
  });

  test('apply to the contract of the service, which imports them', async () => {
    const program = await compile(NodeHost, join(repository, 'spec', 'main.tsp'), { noEmit: true });
    expect(program.jsSourceFiles.has(join(repository, 'spec', 'checks.js'))).toBe(true);
    expect(program.diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
  });

  test.each([
    ['no operation id', id, '', 'operation-id-missing', 'Operation "list" has no operation id'],
    ['an id without a verb', id, '@operationId("booksList")', 'operation-id-form', '"booksList"'],
    ['an id without a noun', id, '@operationId("list")', 'operation-id-form', '"list"'],
    ['an id that is not camelCase', id, '@operationId("list_books")', 'operation-id-form', '"list_books"'],
    [
      'an id that is already used',
      '"deleteBook"',
      '"createBook"',
      'operation-id-duplicate',
      'already used by "POST /books"',
    ],
    ['no summary', '@summary("List books")', '', 'operation-summary-missing', 'Operation "list"'],
    ['no tag', '@tag("Books")', '', 'operation-tag-missing', 'Operation "list"'],
    ['no error responses', listReturnType, 'ListOf<Book>', 'errors-missing', '400, 401, 403, 429, default'],
    [
      'no 400',
      listReturnType,
      listReturnTypeWithout('BadRequest'),
      'errors-missing',
      'does not declare 400.',
    ],
    [
      'no 401',
      listReturnType,
      listReturnTypeWithout('Unauthorized'),
      'errors-missing',
      'does not declare 401.',
    ],
    ['no 403', listReturnType, listReturnTypeWithout('Forbidden'), 'errors-missing', 'does not declare 403.'],
    [
      'no 429',
      listReturnType,
      listReturnTypeWithout('TooManyRequests'),
      'errors-missing',
      'does not declare 429.',
    ],
    [
      'no default',
      listReturnType,
      listReturnTypeWithout('UnexpectedError'),
      'errors-missing',
      'not declare default.',
    ],
    [
      'no 404 on a path with a parameter',
      deleteReturnType,
      'NoContent | CommonErrors',
      'errors-missing',
      'Add "| ResourceErrors"',
    ],
    [
      'a deletion with another success',
      deleteReturnType,
      'Book | ResourceErrors',
      'delete-status',
      'returns 200.',
    ],
    [
      'a deletion with two successes',
      deleteReturnType,
      'NoContent | Book | ResourceErrors',
      'delete-status',
      '200 and 204',
    ],
    [
      'a creation without an idempotency key',
      '...IdempotencyKeyHeader, ',
      '',
      'idempotency-key-missing',
      '201',
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
      'a page without @list',
      '@summary("List books")\n  @list',
      '@summary("Find books")',
      'list-unmarked',
      '"list"',
    ],
    [
      'a list by its id that returns no page',
      '@list\n  @get\n  list(...ListQuery): ListOf<Book>',
      '@get\n  list(): Book',
      'list-unmarked',
      '"list"',
    ],
    [
      'an array in a success',
      '@list\n  @get\n  list(...ListQuery): ListOf<Book>',
      '@get\n  list(): Book[]',
      'list-unbounded',
      '"list"',
    ],
    ['a model without a doc comment', '/** Book. */', '', 'doc-missing', 'Model "Book" has no doc comment'],
    ['a property without a doc comment', '/** Title. */', '', 'doc-missing', 'Property "Book.title"'],
    [
      'a property of an anonymous model without a doc comment',
      '/** Text. */',
      '',
      'doc-missing',
      'Property "text"',
    ],
    [
      'an enum without a doc comment',
      '/** Type of binding of a book. */',
      '',
      'doc-missing',
      'Enum "Binding"',
    ],
    ['an enum member without a doc comment', '/** Paperback. */', '', 'doc-missing', 'Member "Binding.soft"'],
    ['an operation without a doc comment', '/** Lists the books. */', '', 'doc-missing', 'Operation "list"'],
    [
      'a parameter without a doc comment',
      '/** Identifier of the book. */',
      '',
      'doc-missing',
      'Property "delete.bookId"',
    ],
    [
      'a scalar without a doc comment',
      '/** Book to create. */',
      'scalar Isbn extends ShortText; /** x */',
      'doc-missing',
      '"Isbn"',
    ],
    [
      'a union without a doc comment',
      '/** Book to create. */',
      'union Cover { /** x */ hard: Binding } /** x */',
      'doc-missing',
      'Union "Cover"',
    ],
    [
      'a variant of a union without a doc comment',
      '/** Book to create. */',
      '/** x */ union Cover { hard: Binding } /** x */',
      'doc-missing',
      'Variant "Cover.hard"',
    ],
    [
      'an unnamed variant of a union without a doc comment',
      '/** Book to create. */',
      '/** x */ union Cover { Binding } /** x */',
      'doc-missing',
      'Variant "Cover"',
    ],
  ])('reject %s', async (_name, from, to, code, message) => {
    const diagnostics = await diagnosticsAfter(from, to);
    expect(diagnostics).toEqual([expect.stringContaining(message)]);
    expect(diagnostics[0]?.split(': ')[0]).toBe(`contract/${code}`);
  });

  test.each([
    ['in the body', 'title: ShortText;', 'title: string;', 'title'],
    ['in an array', 'volumes?: BookCreate[]', 'volumes?: string[]', 'volumes'],
    ['in a record', 'card?: Record<unknown>', 'card?: Record<string>', 'card'],
    ['that is nullable', 'arrived?: utcDateTime | null', 'arrived?: string | null', 'arrived'],
    ['that is a URL', 'title: ShortText;', 'title: url;', 'title'],
    ['of bytes', 'title: ShortText;', 'title: bytes;', 'title'],
    ['with only a pattern', 'title: ShortText;', '@pattern("^.+$") title: string;', 'title'],
    ['with a long format', 'title: ShortText;', '@format("uri") title: string;', 'title'],
    ['in an anonymous model', 'title: ShortText;', 'title: { /** x */ short: string };', 'short'],
    ['that is the whole body', '@body book: BookCreate', '@body book: string', 'book'],
    ['in the path', '@path bookId: Identifier', '@path bookId: string', 'bookId'],
    ['in the query', 'list(...ListQuery)', 'list(...ListQuery, /** x */ @query by?: string)', 'by'],
    [
      'in a repeated query parameter',
      'list(...ListQuery)',
      'list(...ListQuery, /** x */ @query by?: string[])',
      'by',
    ],
    ['in a header', 'list(...ListQuery)', 'list(...ListQuery, /** x */ @header by?: string)', 'by'],
  ])('reject unbounded text in a request: %s', async (_name, from, to, name) => {
    expect(await diagnosticsAfter(from, to)).toEqual([
      expect.stringMatching(
        new RegExp(
          `^contract/string-unbounded: String "${name}" in the request of operation "[a-z]+" has no maximum length`,
        ),
      ),
    ]);
  });

  test.each([
    ['a property', 'title: ShortText;', '@maxLength(9) title: string;'],
    ['a nullable property', 'title: ShortText;', '@maxLength(9) title: string | null;'],
    ['a short format', 'title: ShortText;', '@format("uuid") title: string;'],
    ['the literals of a union', 'title: ShortText;', 'title: "a" | "b" | null;'],
  ])('accept text in a request with a maximum length set by %s', async (_name, from, to) => {
    expect(await diagnosticsAfter(from, to)).toEqual([]);
  });
});

/** Return type of the list with all common errors except one. */
function listReturnTypeWithout(omitted: string): string {
  const all = ['BadRequest', 'Unauthorized', 'Forbidden', 'TooManyRequests', 'UnexpectedError'];
  return ['ListOf<Book>', ...all.filter((name) => name !== omitted)].join(' | ');
}
