/** Describes the targets of resolved references for the renderer. */
import type { ResolvedReference } from '../links/page-references.ts';
import type { PageRecord } from '../tree/records.ts';
import type { RenderTarget } from './options.ts';

/** Where a reference leads, and what cannot be known from the content. */
export interface Destination extends TargetLabel {
  /** Address for readers, with the anchor of the target; undefined if the reference is not linked. */
  url: string | undefined;
  /** Title of the section that the anchor of a page leads to. */
  section?: string | undefined;
}

/** What readers see of a target. */
export interface TargetLabel {
  /** Title of a target outside of the content, such as a space or a user. Default: the name of a specification, or none. */
  title?: string | undefined;
  description?: string | undefined;
  icon?: string | undefined;
  emoji?: string | undefined;
}

/** Returns the title of a page, with its description and icon. */
export const labelOfPage = (record: PageRecord): TargetLabel => ({
  title: record.title,
  description: record.type === 'document' ? record.description : undefined,
  icon: record.icon,
  emoji: record.emoji,
});

/** Returns the targets of the references of a text by their link destinations as written. */
export function renderTargets(
  references: readonly ResolvedReference[],
  destinationOf: (reference: ResolvedReference) => Destination,
): Map<string, RenderTarget> {
  return new Map(
    references.flatMap((reference) => {
      // Anchors of the same page are links within the markup.
      const isOwnAnchor = reference.target.kind === 'anchor';
      return isOwnAnchor ? [] : [[reference.written, describe(reference, destinationOf(reference))] as const];
    }),
  );
}

function describe(
  { ref, target }: ResolvedReference,
  { url, title = ref.kind === 'openapi' ? ref.spec : '', ...label }: Destination,
): RenderTarget {
  switch (target.kind) {
    case 'page': {
      const { record } = target.page;
      return { kind: ref.kind, url, section: label.section, ...labelOfPage(record), title: record.title };
    }
    case 'file': {
      const { name, size, contentType, dimensions } = target.file;
      return { kind: ref.kind, title: name, url, bytes: size, contentType, ...dimensions };
    }
    case 'reusable-content':
      return { kind: ref.kind, title: target.reusable.title, url, included: target.reusable.id };
    default:
      return { kind: ref.kind, title, url, ...label };
  }
}
