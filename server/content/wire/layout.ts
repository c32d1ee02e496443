/** Converts tabs, steps, columns and changelogs, in both directions. */
import type { components } from '../../../generated/schema.d.ts';
import { type Block, type BlockOf, defined, parent } from '../markdown/document.ts';
import { type BlockReader, type BlockWriter, base, keyOf } from './blocks.ts';
import {
  type Attributes,
  attributeValue,
  DATE,
  DATE_FORMAT,
  FLAG,
  LENGTH,
  propertyOf,
  setAttribute,
  TEXT,
  unlessEmpty,
  VERTICAL,
  writtenOf,
} from './properties.ts';

type Schemas = components['schemas'];

/** Converts tabs. */
export function writeTabs(block: BlockOf<'tabs'>, writer: BlockWriter): Schemas['DocumentTabsBlock'] {
  const nodes = block.nodes.map((tab): Schemas['DocumentTabsItemBlock'] => {
    const slug = attributeValue(TEXT, 'slug', tab.data.attributes);
    return {
      ...base(tab),
      type: tab.type,
      isVoid: false,
      data: { ...tab.data, ...(slug !== undefined && { slug }) },
      ...writer.anchored(tab, tab.data.title),
      nodes: writer.blocks(tab.nodes),
    };
  });
  return { ...base(block), type: block.type, isVoid: false, data: block.data, nodes };
}

/** Converts tabs of the contract. */
export function readTabs(block: Schemas['DocumentTabsBlock'], reader: BlockReader): Block {
  const tabs = block.nodes.map((tab) => {
    const { slug, title = '', icon } = tab.data;
    const attributes: Attributes = { ...tab.data.attributes };
    setAttribute(TEXT, 'slug', slug, attributes);
    const data = { title, icon, attributes: unlessEmpty(attributes) };
    const read = parent('tabs-item', defined<BlockOf<'tabs-item'>['data']>(data), reader.blocks(tab.nodes));
    return { ...read, ...keyOf(tab) };
  });
  return parent('tabs', block.data ?? {}, tabs);
}

/** Converts steps. */
export function writeStepper(
  block: BlockOf<'stepper'>,
  writer: BlockWriter,
): Schemas['DocumentStepperBlock'] {
  const nodes = block.nodes.map((step): Schemas['DocumentStepBlock'] => {
    const icon = attributeValue(TEXT, 'icon', step.data.attributes);
    const data = { ...step.data, ...(icon !== undefined && { icon }) };
    return { ...base(step), type: step.type, isVoid: false, data, nodes: writer.blocks(step.nodes) };
  });
  return { ...base(block), type: block.type, isVoid: false, data: block.data, nodes };
}

/** Converts steps of the contract. */
export function readStepper(block: Schemas['DocumentStepperBlock'], reader: BlockReader): Block {
  const steps = block.nodes.map((step) => {
    const attributes: Attributes = { ...step.data.attributes };
    setAttribute(TEXT, 'icon', step.data.icon, attributes);
    const data = defined<BlockOf<'stepper-step'>['data']>({ attributes: unlessEmpty(attributes) });
    return { ...parent('stepper-step', data, reader.blocks(step.nodes)), ...keyOf(step) };
  });
  return parent('stepper', block.data ?? {}, steps);
}

/** Converts columns. */
export function writeColumns(
  block: BlockOf<'columns'>,
  writer: BlockWriter,
): Schemas['DocumentColumnsBlock'] {
  const nodes = block.nodes.map((column): Schemas['DocumentColumnBlock'] => {
    const attributes: Attributes = { ...column.data.attributes };
    const data = defined<Schemas['DocumentColumnBlockData']>({
      width: propertyOf(LENGTH, 'width', column.data.width, attributes),
      verticalAlignment: attributeValue(VERTICAL, 'verticalAlignment', attributes),
      attributes: unlessEmpty(attributes),
    });
    return { ...base(column), type: column.type, isVoid: false, data, nodes: writer.blocks(column.nodes) };
  });
  const fullWidth = attributeValue(FLAG, 'fullWidth', block.data.attributes);
  const data = { ...block.data, ...(fullWidth !== undefined && { fullWidth }) };
  return { ...base(block), type: block.type, isVoid: false, data, nodes };
}

/** Converts columns of the contract. */
export function readColumns(block: Schemas['DocumentColumnsBlock'], reader: BlockReader): Block {
  const columns = block.nodes.map((column) => {
    const { width, verticalAlignment } = column.data;
    const attributes: Attributes = { ...column.data.attributes };
    setAttribute(VERTICAL, 'verticalAlignment', verticalAlignment, attributes);
    const data = defined<BlockOf<'column'>['data']>({
      width: writtenOf(LENGTH, 'width', width, attributes),
      attributes: unlessEmpty(attributes),
    });
    return { ...parent('column', data, reader.blocks(column.nodes)), ...keyOf(column) };
  });
  const attributes: Attributes = { ...block.data.attributes };
  setAttribute(FLAG, 'fullWidth', block.data.fullWidth, attributes);
  const data = defined<BlockOf<'columns'>['data']>({ attributes: unlessEmpty(attributes) });
  return parent('columns', data, columns);
}

/** Converts a changelog. */
export function writeUpdates(
  block: BlockOf<'updates'>,
  writer: BlockWriter,
): Schemas['DocumentUpdatesBlock'] {
  const nodes = block.nodes.map((update): Schemas['DocumentUpdateBlock'] => {
    const { date, tags } = update.data;
    const attributes: Attributes = { ...update.data.attributes };
    const data = defined<Schemas['DocumentUpdateBlockData']>({
      date: propertyOf(DATE, 'date', date, attributes),
      tags: tags?.map((tag) => ({ kind: 'tag', tag })),
      attributes: unlessEmpty(attributes),
    });
    return { ...base(update), type: update.type, isVoid: false, data, nodes: writer.blocks(update.nodes) };
  });
  const attributes: Attributes = { ...block.data.attributes };
  const data = defined<Schemas['DocumentUpdatesBlockData']>({
    format: propertyOf(DATE_FORMAT, 'format', block.data.format, attributes),
    attributes: unlessEmpty(attributes),
  });
  return { ...base(block), type: block.type, isVoid: false, data, nodes };
}

/** Converts a changelog of the contract. */
export function readUpdates(block: Schemas['DocumentUpdatesBlock'], reader: BlockReader): Block {
  const updates = block.nodes.map((update) => {
    const { date, tags } = update.data;
    const attributes: Attributes = { ...update.data.attributes };
    const data = defined<BlockOf<'update'>['data']>({
      date: writtenOf(DATE, 'date', date, attributes),
      tags: tags?.map(({ tag }) => tag),
      attributes: unlessEmpty(attributes),
    });
    return { ...parent('update', data, reader.blocks(update.nodes)), ...keyOf(update) };
  });
  const attributes: Attributes = { ...block.data.attributes };
  const data = defined<BlockOf<'updates'>['data']>({
    format: writtenOf(DATE_FORMAT, 'format', block.data.format, attributes),
    attributes: unlessEmpty(attributes),
  });
  return parent('updates', data, updates);
}
