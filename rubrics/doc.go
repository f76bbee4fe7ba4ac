// Package rubrics owns what a judge is asked: the rubric type, its loader, its
// linter and the four rubrics that come with the program.
//
// A rubric is a JSON object {name, jsonschema, examples}. The schema has the properties
// explanation, evidence, output, confidence and correction; output carries the scale (minimum,
// maximum) and the pass band (threshold_low, threshold_high), confidence the band inside which an
// answer counts as sure. The short form {name, question, answer, …}, YAML or JSON, is turned into
// such an object, so that nothing else knows of it.
//
// The package promises that the order of keys is kept from the file to the request (a constrained
// decoder writes keys in schema order, so the order decides whether reasons come before the
// number), that the pass band never leaves the program in the copy that is sent, and that every
// complaint names file, line, column and field, and the nearest known word if one is near.
//
// It knows no endpoints and opens no files.
package rubrics
