import { createTypeSpecLibrary, paramMessage } from '@typespec/compiler';

/** Rules of the contract. Each message states what is wrong, why it matters and how to fix it. */
export const $lib = createTypeSpecLibrary({
  name: 'contract',
  diagnostics: {
    'operation-id-missing': {
      severity: 'error',
      messages: {
        default: paramMessage`Operation "${'operation'}" has no operation id. Handlers, client calls and tests identify operations by id. Add @operationId with a verb and a noun, for example "listSites".`,
      },
    },
    'operation-id-form': {
      severity: 'error',
      messages: {
        default: paramMessage`Operation id "${'id'}" is not a verb and a noun in camelCase. Operation ids share one format, for example "listSites" or "getSite". Rename it, or add its verb to the list in spec/checks/names.js.`,
      },
    },
    'operation-id-duplicate': {
      severity: 'error',
      messages: {
        default: paramMessage`Operation id "${'id'}" is already used by "${'first'}". Operation ids must be unique. Rename one of them.`,
      },
    },
    'operation-summary-missing': {
      severity: 'error',
      messages: {
        default: paramMessage`Operation "${'operation'}" has no summary. The documentation lists operations by summary. Add @summary with a short phrase, for example "List sites".`,
      },
    },
    'operation-tag-missing': {
      severity: 'error',
      messages: {
        default: paramMessage`Operation "${'operation'}" has no tag. The documentation and the router group operations by tag. Add @tag to its interface.`,
      },
    },
    'errors-missing': {
      severity: 'error',
      messages: {
        default: paramMessage`Operation "${'operation'}" does not declare ${'statuses'}. Clients rely on the declared errors, and the server cannot return any others. Add "| ${'alias'}" to its return type.`,
      },
    },
    'delete-status': {
      severity: 'error',
      messages: {
        default: paramMessage`DELETE operation "${'operation'}" returns ${'statuses'}. Every deletion returns 204, even if the resource did not exist. Return NoContent.`,
      },
    },
    'idempotency-key-missing': {
      severity: 'error',
      messages: {
        default: paramMessage`Operation "${'operation'}" returns 201 but has no Idempotency-Key header. Without it, a client that retries after a lost response creates the resource twice. Spread IdempotencyKeyHeader into the parameters.`,
      },
    },
    'list-unbounded': {
      severity: 'error',
      messages: {
        default: paramMessage`Operation "${'operation'}" returns an array. A list can grow beyond any response, so it is returned in pages. Return ListOf<…> and spread ListQuery into the parameters.`,
      },
    },
    'list-unmarked': {
      severity: 'error',
      messages: {
        default: paramMessage`Operation "${'operation'}" is a list but has no @list. Tools recognize a list of pages by that decorator. Add @list, and return ListOf<…>.`,
      },
    },
    'list-unpaged': {
      severity: 'error',
      messages: {
        default: paramMessage`Operation "${'operation'}" returns a list but does not accept ${'parameters'}. Without them, clients cannot read past the first page. Spread ListQuery into its parameters.`,
      },
    },
    'string-unbounded': {
      severity: 'error',
      messages: {
        default: paramMessage`String "${'name'}" in the request of operation "${'operation'}" has no maximum length. Request strings are stored or compared, so their length must be limited. Use ShortText, LongText, Identifier or AbsoluteUrl, or add @maxLength.`,
      },
    },
    'doc-missing': {
      severity: 'error',
      messages: {
        default: paramMessage`${'subject'} has no doc comment. The documentation and the generated types display it. Add a /** … */ comment before the declaration.`,
      },
    },
  },
});

export const { reportDiagnostic } = $lib;
