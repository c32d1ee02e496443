const isPackage = import.meta.filename.includes('node_modules');

/** Command line that starts the server, as the operator types it: in a clone, or with the npm package. */
export const START_COMMAND = isPackage ? 'npx colophon-platform' : 'npm start';
/** Command line that manages access tokens. Arguments follow after {@link ARGUMENTS_SEPARATOR}. */
export const TOKEN_COMMAND = isPackage ? 'npx colophon-platform-token' : 'npm run token';
/** Command line that manages the secret key. */
export const SECRET_KEY_COMMAND = isPackage ? 'npx colophon-platform-secret-key' : 'npm run secret-key';
/** Command line that creates a backup. */
export const BACKUP_COMMAND = isPackage ? 'npx colophon-platform-backup' : 'npm run backup';
/** Command line that restores a backup. */
export const RESTORE_COMMAND = isPackage ? 'npx colophon-platform-restore' : 'npm run restore';
/** Command line that exports an organization. */
export const EXPORT_COMMAND = isPackage ? 'npx colophon-platform-export' : 'npm run export';
/** Command line that imports an organization. */
export const IMPORT_COMMAND = isPackage
  ? 'npx colophon-platform-import-organization'
  : 'npm run import-organization';
/** Command line that checks the data. */
export const DOCTOR_COMMAND = isPackage ? 'npx colophon-platform-doctor' : 'npm run doctor';
/** Command line that shows and changes where files are stored. */
export const FILES_COMMAND = isPackage ? 'npx colophon-platform-files' : 'npm run files';
/** Command line that shows and changes the quotas of an organization. */
export const QUOTAS_COMMAND = isPackage ? 'npx colophon-platform-quotas' : 'npm run quotas';
/** Text between a command and its arguments: npm interprets the arguments before the two dashes. */
export const ARGUMENTS_SEPARATOR = isPackage ? '' : ' --';
/** Command line that replaces a lost secret key. */
export const REPLACE_KEY_COMMAND = `${SECRET_KEY_COMMAND}${ARGUMENTS_SEPARATOR} replace`;
