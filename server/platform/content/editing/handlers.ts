import type { Slice } from '../../kit/slice.ts';
import { presentChangeRequest } from '../change-requests/present.ts';
import { applySpaceTemplate, updateChangeRequestContent } from './rules.ts';

/** Handlers that change content. */
export const editingHandlers = {
  async updateChangeRequestContent({ path, body }, ctx) {
    const { changeRequest, notices } = await updateChangeRequestContent(ctx, { ...path, ...body });
    return {
      ...presentChangeRequest(changeRequest, ctx.resourceUrls),
      ...(notices.length > 0 && { notices }),
    };
  },

  async applySpaceTemplate({ path, body }, ctx) {
    await applySpaceTemplate(ctx, { ...path, ...body });
  },
} satisfies Slice;
