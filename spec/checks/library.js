import { createTypeSpecLibrary, paramMessage } from '@typespec/compiler';

/** The rules, with what is said when one is broken: what, why, how to mend it. */
export const $lib = createTypeSpecLibrary({
  name: 'contract',
  diagnostics: {
    'operation-id-missing': {
      severity: 'error',
      messages: {
        default: paramMessage`Operation "${'operation'}" has no id. Handlers, client calls and tests name an operation by its id. Add @operationId with a verb and a noun, as in "listSites".`,
      },
    },
    'operation-id-form': {
      severity: 'error',
      messages: {
        default: paramMessage`Operation id "${'id'}" is not a verb and a noun in camelCase. All ids read alike, as in "listSites" or "getSite". Rename it; a verb that none of the ids has yet goes into the list in spec/checks/names.js.`,
      },
    },
    'operation-id-twice': {
      severity: 'error',
      messages: {
        default: paramMessage`Operation id "${'id'}" belongs to "${'first'}" already. An id names one operation. Give this one an id of its own.`,
      },
    },
    'operation-summary-missing': {
      severity: 'error',
      messages: {
        default: paramMessage`Operation "${'operation'}" has no summary. The documentation lists operations by their summaries. Add @summary with a few words.`,
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
        default: paramMessage`Operation "${'operation'}" does not declare ${'statuses'}. Callers read in the contract which failures to expect, and the server may send no others. Add "| ${'alias'}" to its return type.`,
      },
    },
    'delete-status': {
      severity: 'error',
      messages: {
        default: paramMessage`Operation "${'operation'}" deletes and answers ${'statuses'}. Every deletion answers 204, also when there was nothing to delete. Return NoContent.`,
      },
    },
    'list-unpaged': {
      severity: 'error',
      messages: {
        default: paramMessage`Operation "${'operation'}" answers a list and does not take ${'parameters'}. Without them a caller cannot read past the first page. Spread ListQuery into its parameters.`,
      },
    },
    'string-unbounded': {
      severity: 'error',
      messages: {
        default: paramMessage`The text in "${'name'}" has no upper bound, and operation "${'operation'}" takes it in a request. Whatever a caller sends is kept or compared, so its length needs a limit. Use ShortText, LongText, Identifier or AbsoluteUrl, or add @maxLength.`,
      },
    },
    'doc-missing': {
      severity: 'error',
      messages: {
        default: paramMessage`${'what'} has no doc. The documentation and the generated types show it to readers. Write a /** … */ comment before it.`,
      },
    },
  },
});

export const { reportDiagnostic } = $lib;
