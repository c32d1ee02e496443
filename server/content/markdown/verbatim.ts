/** Keeps Markdown that exceeds a limit verbatim, and shows its source with the reason. */
import { type Block, type Document, type ProblemReason, parent, rawLeaf, rawSource } from './document.ts';
import { withKeys } from './keys.ts';

const MESSAGES: Record<ProblemReason, string> = {
  'too-long': 'The markdown is too long to be parsed. Split the page.',
  'too-large': 'The markdown has too many blocks and marks. Split the page.',
  'too-deep': 'The markdown nests lists, quotations or tags too deeply. Nest less.',
  'too-complex': 'A paragraph or table of the markdown has too much markup. Split it, or simplify it.',
  'time-limit': 'Parsing the markdown took too long. Split or simplify the page.',
  'memory-limit': 'Parsing the markdown took too much memory. Split or simplify the page.',
  unsettled: 'The markdown cannot be represented as blocks. Simplify its markup.',
};

/** Creates the block that shows the source of Markdown instead of its blocks. */
function verbatimBlock(markdown: string, reason: ProblemReason): Block {
  const problem = { reason, message: MESSAGES[reason] };
  return parent('paragraph', { problem }, [{ object: 'text', leaves: [rawLeaf(markdown)] }]);
}

/** Creates the document of a page that is kept verbatim, in one pass over the text. Printing it returns the text. */
export function verbatimDocument(markdown: string, reason: ProblemReason): Document {
  const nodes = [verbatimBlock(markdown.toWellFormed(), reason)];
  return withKeys({ object: 'document', data: { schemaVersion: 1 }, nodes });
}

/** Returns the Markdown of a document created by `verbatimDocument`; undefined for any other. */
export function verbatimText({ nodes }: Document): string | undefined {
  const [only, ...more] = nodes;
  if (more.length > 0 || only?.type !== 'paragraph' || !only.data.problem) {
    return undefined;
  }
  return rawSource(only);
}
