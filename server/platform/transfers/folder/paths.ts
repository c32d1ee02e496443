import type { Transfer } from '../../kit/transfer/define.ts';

/** Path of the records of a noun in the folder of an export. */
export const recordsPath = ({ table }: Pick<Transfer, 'table'>): string => `records/${table}.ndjson`;

/** Path of the resources in the form of the contract. */
export const RESOURCES_PATH = 'resources.ndjson';

/** Path of the objects of all content. */
export const OBJECTS_PATH = 'content/objects.ndjson';

/** Folder of the bytes of files. Their names are their hashes. */
export const FILES_FOLDER = 'files';

/** Path of the bytes with a hash. */
export const filePath = (hash: string): string => `${FILES_FOLDER}/${hash}`;

/** Path of the Git repository of a space. */
export const repositoryPath = (space: string): string => `repositories/${space}.git`;
