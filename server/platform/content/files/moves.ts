/** Where files are stored, for the command of operators. */
export { countFiles, type FilePlace, type MoveResult, moveFiles } from '../../../content/store/move-files.ts';
