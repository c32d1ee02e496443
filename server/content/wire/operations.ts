/** Converts the parts of specifications, in both directions. */
import type { components } from '../../../generated/schema.d.ts';
import { type Block, type BlockOf, defined, type Reference, voidBlock } from '../markdown/document.ts';
import { type BlockWriter, base } from './blocks.ts';
import {
  type Attributes,
  attributeValue,
  DEFAULT_TEXT,
  FLAG,
  propertyOf,
  setAttribute,
  TEXT,
  unlessEmpty,
  writtenOf,
} from './properties.ts';

type Schemas = components['schemas'];
type OperationType = 'swagger' | 'openapi-operation' | 'openapi-schemas' | 'openapi-webhook';

/** Converts a part of a specification. */
export function writeOperation(block: BlockOf<OperationType>, writer: BlockWriter): Schemas['DocumentBlock'] {
  const attributes: Attributes = { ...block.data.attributes };
  const text = (name: string, written: string | undefined) =>
    propertyOf(DEFAULT_TEXT, name, written, attributes);
  const common = base(block);
  switch (block.type) {
    case 'swagger': {
      const { ref, path: writtenPath, method: writtenMethod } = block.data;
      const [path, method] = [text('path', writtenPath), text('method', writtenMethod)];
      const data = defined<Schemas['DocumentSwaggerBlockData']>({
        ref: ref && writer.fileRef(ref),
        path,
        method,
        expanded: attributeValue(FLAG, 'expanded', attributes),
        fullWidth: attributeValue(FLAG, 'fullWidth', attributes),
        attributes: unlessEmpty(attributes),
      });
      return {
        ...common,
        type: block.type,
        isVoid: true,
        data,
        ...writer.anchored(block, `${method} ${path}`),
      };
    }
    case 'openapi-operation': {
      const [path, method] = [text('path', block.data.path), text('method', block.data.method)];
      const data = { ...specificationOf(block.data, writer), path, method, ...attributesOf(attributes) };
      return {
        ...common,
        type: block.type,
        isVoid: true,
        data,
        ...writer.anchored(block, `${method} ${path}`),
      };
    }
    case 'openapi-webhook': {
      const [name, method] = [text('name', block.data.name), text('method', block.data.method)];
      const data = { ...specificationOf(block.data, writer), name, method, ...attributesOf(attributes) };
      return { ...common, type: block.type, isVoid: true, data, ...writer.anchored(block, name) };
    }
    case 'openapi-schemas': {
      const { schemas = [], grouped } = block.data;
      const title = attributeValue(TEXT, 'title', attributes);
      const data = defined<Schemas['DocumentOpenAPISchemasBlockData']>({
        ...specificationOf(block.data, writer),
        schemas,
        grouped,
        title,
        attributes: unlessEmpty(attributes),
      });
      const anchored = writer.anchored(block, title ?? schemas[0] ?? '');
      return { ...common, type: block.type, isVoid: true, data, ...anchored };
    }
  }
}

const attributesOf = (attributes: Attributes): { attributes?: Attributes } => {
  const all = unlessEmpty(attributes);
  return all ? { attributes: all } : {};
};

const specificationOf = (
  { spec, ref: source }: { spec?: string; ref?: Reference },
  writer: BlockWriter,
): Pick<Schemas['DocumentOpenAPIOperationBlockData'], 'ref' | 'source'> => ({
  ...(spec !== undefined && { ref: { kind: 'openapi', spec } }),
  ...(source && { source: writer.ref(source) }),
});

/** Converts a part of a specification of the contract. The inverse of {@link writeOperation}. */
export function readOperation(block: Extract<Schemas['DocumentBlock'], { type: OperationType }>): Block {
  const attributes: Attributes = { ...block.data.attributes };
  const text = (name: string, value: string | undefined) => writtenOf(DEFAULT_TEXT, name, value, attributes);
  switch (block.type) {
    case 'swagger': {
      const { ref, expanded, fullWidth } = block.data;
      const [path, method] = [text('path', block.data.path), text('method', block.data.method)];
      setAttribute(FLAG, 'expanded', expanded, attributes);
      setAttribute(FLAG, 'fullWidth', fullWidth, attributes);
      const data = { ref, path, method, attributes: unlessEmpty(attributes) };
      return voidBlock('swagger', defined<BlockOf<'swagger'>['data']>(data));
    }
    case 'openapi-operation': {
      const [path, method] = [text('path', block.data.path), text('method', block.data.method)];
      const data = { ...writtenSpecification(block.data), path, method, attributes: unlessEmpty(attributes) };
      return voidBlock('openapi-operation', defined<BlockOf<'openapi-operation'>['data']>(data));
    }
    case 'openapi-webhook': {
      const [name, method] = [text('name', block.data.name), text('method', block.data.method)];
      const data = { ...writtenSpecification(block.data), name, method, attributes: unlessEmpty(attributes) };
      return voidBlock('openapi-webhook', defined<BlockOf<'openapi-webhook'>['data']>(data));
    }
    case 'openapi-schemas': {
      const { schemas, grouped, title } = block.data;
      setAttribute(TEXT, 'title', title, attributes);
      const data = {
        ...writtenSpecification(block.data),
        schemas: schemas.length > 0 ? schemas : undefined,
        grouped,
        attributes: unlessEmpty(attributes),
      };
      return voidBlock('openapi-schemas', defined<BlockOf<'openapi-schemas'>['data']>(data));
    }
  }
}

const writtenSpecification = ({
  ref,
  source,
}: Pick<Schemas['DocumentOpenAPIOperationBlockData'], 'ref' | 'source'>): {
  spec?: string;
  ref?: Reference;
} => ({
  ...(ref && { spec: ref.spec }),
  ...(source && { ref: source }),
});
