// Holds objects, as a list in JSON on stdin, against the types that Kubernetes itself publishes:
// prints a line for each that is wrong. Its argument is where kubernetes-models was installed.
'use strict';
const path = require('path');

const models = process.argv[2];
const GROUPS = { 'v1': 'v1', 'apps/v1': 'apps/v1', 'batch/v1': 'batch/v1' };

const text = require('fs').readFileSync(0, 'utf8');
for (const object of JSON.parse(text)) {
  const group = GROUPS[object.apiVersion];
  if (!group) throw new Error(`no model of ${object.apiVersion}`);
  const file = path.join(models, 'kubernetes-models', group, object.kind);
  const Model = require(file)[object.kind];
  try {
    new Model(object).validate();
  } catch (error) {
    console.log(`${object.kind} ${object.metadata.name}: ${error.message}`);
  }
}
