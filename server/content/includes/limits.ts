/** Maximum size of a file that pages include. */
export const MAX_INCLUDED_FILE_BYTES = 1_048_576;
/** Maximum number of tags that are replaced in a page, with those in its files. Others remain as written. */
export const MAX_EXPANDED_INCLUDES = 1000;
