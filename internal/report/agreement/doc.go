// Package agreement owns the tables of a report in which instruments are held against
// each other: judges against references, as rates, coefficients and scatters, judges
// against judges, all judges of a rubric, a judge against its retest.
//
// It promises that nothing is compared that looks at the same facts by the same rules;
// that an item counts only where both sides scored it, and what is missing on either
// side is counted beside; that every interval is clustered by conversation; and that
// rows which rest on too little say so. The statistics themselves are those of
// internal/agreement.
package agreement
