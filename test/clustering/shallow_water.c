// A shallow-water solver of the size of SPEC CPU's swim: 52 statements in one time loop, for the benchmark `clustering` (Baghdadi
// and Cohen 2020, statement clustering, section 7, name swim). The scheme is Sadourny's (1975), which conserves potential
// enstrophy, with leap-frog steps and the filter of Robert and Asselin, written from the equations: each step computes mass
// fluxes, potential vorticity and head from the velocities and the pressure, then the velocities and the pressure of the next
// step, and then smooths those of the step before. The plane is periodic; what is computed at one side is copied to the other
// after each phase. `dt` is from the step before to the next one.

void shallow_water(int steps, int m, int n, double dx, double dy, double dt, double smoothing,
                   double u[restrict m + 1][n + 1], double v[restrict m + 1][n + 1], double p[restrict m + 1][n + 1],
                   double new_u[restrict m + 1][n + 1], double new_v[restrict m + 1][n + 1],
                   double new_p[restrict m + 1][n + 1], double old_u[restrict m + 1][n + 1],
                   double old_v[restrict m + 1][n + 1], double old_p[restrict m + 1][n + 1],
                   double flux_x[restrict m + 1][n + 1], double flux_y[restrict m + 1][n + 1],
                   double vorticity[restrict m + 1][n + 1], double head[restrict m + 1][n + 1]) {
  double across = 4 / dx, up = 4 / dy;
  double eighth = dt / 8, step_x = dt / dx, step_y = dt / dy;
  for (int t = 0; t < steps; t++) {
    // Fluxes at the edges of cells, vorticity at corners, head in the middle.
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        flux_x[i + 1][j] = 0.5 * (p[i + 1][j] + p[i][j]) * u[i + 1][j];
        flux_y[i][j + 1] = 0.5 * (p[i][j + 1] + p[i][j]) * v[i][j + 1];
        vorticity[i + 1][j + 1] = (across * (v[i + 1][j + 1] - v[i][j + 1]) - up * (u[i + 1][j + 1] - u[i + 1][j])) /
                                  (p[i][j] + p[i + 1][j] + p[i + 1][j + 1] + p[i][j + 1]);
        head[i][j] = p[i][j] + 0.25 * (u[i + 1][j] * u[i + 1][j] + u[i][j] * u[i][j] + v[i][j + 1] * v[i][j + 1] +
                                       v[i][j] * v[i][j]);
      }
    for (int j = 0; j < n; j++) {
      flux_x[0][j] = flux_x[m][j];
      flux_y[m][j + 1] = flux_y[0][j + 1];
      vorticity[0][j + 1] = vorticity[m][j + 1];
      head[m][j] = head[0][j];
    }
    for (int i = 0; i < m; i++) {
      flux_x[i + 1][n] = flux_x[i + 1][0];
      flux_y[i][0] = flux_y[i][n];
      vorticity[i + 1][0] = vorticity[i + 1][n];
      head[i][n] = head[i][0];
    }
    flux_x[0][n] = flux_x[m][0];
    flux_y[m][0] = flux_y[0][n];
    vorticity[0][0] = vorticity[m][n];
    head[m][n] = head[0][0];

    // The next step, from the one before.
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        new_u[i + 1][j] = old_u[i + 1][j] +
                          eighth * (vorticity[i + 1][j + 1] + vorticity[i + 1][j]) *
                              (flux_y[i + 1][j + 1] + flux_y[i][j + 1] + flux_y[i][j] + flux_y[i + 1][j]) -
                          step_x * (head[i + 1][j] - head[i][j]);
        new_v[i][j + 1] = old_v[i][j + 1] -
                          eighth * (vorticity[i + 1][j + 1] + vorticity[i][j + 1]) *
                              (flux_x[i + 1][j + 1] + flux_x[i][j + 1] + flux_x[i][j] + flux_x[i + 1][j]) -
                          step_y * (head[i][j + 1] - head[i][j]);
        new_p[i][j] = old_p[i][j] - step_x * (flux_x[i + 1][j] - flux_x[i][j]) -
                      step_y * (flux_y[i][j + 1] - flux_y[i][j]);
      }
    for (int j = 0; j < n; j++) {
      new_u[0][j] = new_u[m][j];
      new_v[m][j + 1] = new_v[0][j + 1];
      new_p[m][j] = new_p[0][j];
    }
    for (int i = 0; i < m; i++) {
      new_u[i + 1][n] = new_u[i + 1][0];
      new_v[i][0] = new_v[i][n];
      new_p[i][n] = new_p[i][0];
    }
    new_u[0][n] = new_u[m][0];
    new_v[m][0] = new_v[0][n];
    new_p[m][n] = new_p[0][0];

    // The step is smoothed with the ones before and after it, and time goes on.
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        old_u[i][j] = u[i][j] + smoothing * (new_u[i][j] - 2 * u[i][j] + old_u[i][j]);
        old_v[i][j] = v[i][j] + smoothing * (new_v[i][j] - 2 * v[i][j] + old_v[i][j]);
        old_p[i][j] = p[i][j] + smoothing * (new_p[i][j] - 2 * p[i][j] + old_p[i][j]);
        u[i][j] = new_u[i][j];
        v[i][j] = new_v[i][j];
        p[i][j] = new_p[i][j];
      }
    for (int j = 0; j < n; j++) {
      old_u[m][j] = old_u[0][j];
      old_v[m][j] = old_v[0][j];
      old_p[m][j] = old_p[0][j];
      u[m][j] = u[0][j];
      v[m][j] = v[0][j];
      p[m][j] = p[0][j];
    }
    for (int i = 0; i < m; i++) {
      old_u[i][n] = old_u[i][0];
      old_v[i][n] = old_v[i][0];
      old_p[i][n] = old_p[i][0];
      u[i][n] = u[i][0];
      v[i][n] = v[i][0];
      p[i][n] = p[i][0];
    }
    old_u[m][n] = old_u[0][0];
    old_v[m][n] = old_v[0][0];
    old_p[m][n] = old_p[0][0];
    u[m][n] = u[0][0];
    v[m][n] = v[0][0];
    p[m][n] = p[0][0];
  }
}
